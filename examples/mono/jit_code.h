/* SPDX-License-Identifier: MIT */
/**
 * \file jit_code.h
 * \brief Tells other profilers of compiled code: the options jitdump, perf-map and oprofile.
 */
#ifndef JIT_CODE_H
#define JIT_CODE_H

#include "module.h"

/** Begins, if the options ask for it. What cannot be done is said on stderr. */
void jit_code_install(MonoProfiler *profiler);

/** Completes what was written. Code that is compiled later is not told of. */
void jit_code_end(void);

#endif
