/* SPDX-License-Identifier: MIT */
/**
 * \file jit_code.h
 * \brief Reports compiled code to other profilers: the options jitdump, perf-map and oprofile. Records the sizes of
 * trampolines.
 */
#ifndef MONO_JIT_CODE_H
#define MONO_JIT_CODE_H

#include "profiler.h"

#include <stddef.h>
#include <sys/uio.h>

/** Whether the log gets the sizes of code: compilations are recorded, in a dialect that has room for them. */
int jit_code_is_recorded(const module_options *options);

/** Opens the outputs that the options ask for. Failures are printed on stderr. */
void jit_code_install(MonoProfiler *profiler);

/** Completes the outputs. Code that is compiled later is not reported. */
void jit_code_end(void);

#endif
