/* SPDX-License-Identifier: MIT */
/**
 * \file runtime_work.h
 * \brief What the runtime does on behalf of a thread, which samples of its call stack show as a frame.
 *
 * Callbacks of a thread set the state of that thread, and signal handlers on it read the state. A compilation or a wait
 * is stored with the address in managed code that caused it: code that the runtime runs meanwhile, such as a handler
 * of the program that finds assemblies for the compiler, has another innermost address. It also limits the effect of
 * an end that the runtime does not report.
 */
#ifndef MONO_RUNTIME_WORK_H
#define MONO_RUNTIME_WORK_H

#include "profiler.h"

/** The calling thread has stopped the world for a collection, or has restarted it. */
void runtime_work_set_collecting(int is_collecting);

/**
 * The calling thread compiles a method, or searches for its precompiled code. \p caller is the address that needed it,
 * 0 if none.
 */
void runtime_work_set_compiling(int is_compiling, uintptr_t caller);

/** The calling thread waits for a monitor of another thread. \p caller is the address that enters it, 0 if none. */
void runtime_work_set_locking(int is_locking, uintptr_t caller);

/**
 * The frame for what the runtime does for the calling thread, whose innermost managed code is at an address, 0 if it
 * has none. Returns 0 if it does nothing for it. Async-signal-safe.
 */
mprof_frame runtime_work_frame(uintptr_t innermost);

/** Defines the names of the frames. For the first samples of a program: there are no such frames before. */
void runtime_work_define(MonoProfiler *profiler);

#endif
