/* SPDX-License-Identifier: MIT */
/**
 * \file throw_code.h
 * \brief Leaves the generated code by which managed code enters the runtime to throw an exception.
 *
 * The compiled methods call it like a function that never returns. It stores all registers in its frame and calls the
 * runtime, which finds the handler. There are no unwinding tables for it, and the runtime, which is not in a transition
 * from managed code then, walks the stack from an older one or finds no managed code at all.
 */
#ifndef THROW_CODE_H
#define THROW_CODE_H

#include "profiler.h"
#include "shared/unwind_rules.h"

/** Has the runtime report the code that it generates. Called before the runtime generates any. */
void throw_code_install(MonoProfiler *profiler);

/**
 * If the frame is in such code: replaces its registers by those of the code that throws, and returns 1. The address is
 * the return address. Async-signal-safe.
 */
int throw_code_leave(unwind_frame *frame);

#endif
