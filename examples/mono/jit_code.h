/* SPDX-License-Identifier: MIT */
/**
 * \file jit_code.h
 * \brief Reports compiled code to other profilers: the options jitdump, perf-map and oprofile.
 */
#ifndef JIT_CODE_H
#define JIT_CODE_H

#include "profiler.h"

/** Opens the outputs that the options ask for. Failures are printed on stderr. */
void jit_code_install(MonoProfiler *profiler);

/** Completes the outputs. Code that is compiled later is not reported. */
void jit_code_end(void);

#endif
