/* SPDX-License-Identifier: MIT */
/**
 * \file native_frames.h
 * \brief The native functions that an interrupted thread has called since its innermost managed code.
 *
 * The runtime's walk of a stack begins at the innermost managed frame. The frames inside of it are those of the runtime
 * and of native libraries; they are unwound by the tables of these modules (unwind_tables.h), in the signal handler
 * itself: only the thread's own stack and the tables of modules on that stack are read, which stay mapped meanwhile.
 */
#ifndef MONO_NATIVE_FRAMES_H
#define MONO_NATIVE_FRAMES_H

#include <mprof/recorder.h>

#include "profiler.h"
#include "shared/sampled_stack.h"
#include "shared/unwind_rules.h"

#include <ucontext.h>

/** Has the runtime report the code that it generates. Called before the runtime generates any. */
void throw_code_install(MonoProfiler *profiler);

/** Finds the stack of the calling thread. Not async-signal-safe. */
void native_frames_find_stack(sampled_stack *stack);

/**
 * Where a native walk ended other than at the expected managed code: the context of the code without tables that called
 * the native functions. It may be managed code that the runtime's walk leaves out, since it called the runtime without
 * saying so.
 */
typedef struct native_end {
	uintptr_t address; /**< 0 if the walk ended at the expected code, or at the interrupted address. */
	int is_incomplete; /**< It ended neither there nor at the outermost frame: the callers are not known. */
	ucontext_t context;
} native_end;

/**
 * Stores the native frames of an interrupted thread, innermost first, up to the managed code at \p managed, 0 if none,
 * or to any other code without tables, such as a trampoline of the runtime. Without tables or a known stack, stores the
 * interrupted address only.
 *
 * \p context is the ucontext_t of the handler; \p stack is the thread's, or NULL; \p limit is positive. Returns the
 * number of frames, at least one. Async-signal-safe.
 */
size_t native_frames_walk(const void *context, uintptr_t address, const sampled_stack *stack, uintptr_t managed,
			  mprof_frame *frames, size_t limit, native_end *end);

#endif
