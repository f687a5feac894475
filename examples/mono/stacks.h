/* SPDX-License-Identifier: MIT */
/**
 * \file stacks.h
 * \brief Call stacks, from the runtime's asynchronous stack walk or from what was learned from it (stack_steps.h).
 *
 * The asynchronous walk is used everywhere except for exceptions: it takes no lock, and for code shared by generic
 * types it returns the method that the runtime reported when the code was compiled, so every frame has a name. This
 * requires that the module receives all such reports, see methods_install().
 */
#ifndef MONO_STACKS_H
#define MONO_STACKS_H

#include "threads.h"

/**
 * Walks the calling thread's stack, without innermost frames that the runtime generated. A method being compiled is
 * placed inside the frame of the code that needed it. For callbacks, where the thread is in the runtime's code.
 *
 * Returns the number of frames: at most \p limit, or one more if the stack has further frames, for
 * #MPROF_FRAME_TRUNCATED.
 */
size_t stacks_here(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit);

/**
 * Walks the stack like stacks_here(), and stores the number of frames. Returns whether the filters select what the
 * thread does (stack_record.h). \p frames has room for \p limit frames and one more.
 */
int stacks_here_selected(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit, size_t *count);

/**
 * Walks the calling thread's stack from where an exception is thrown, like stacks_here(). For the callback of a thrown
 * exception only: there the runtime starts the walk at the code that throws, which has not called the runtime in a way
 * that the other walk could find.
 */
size_t stacks_thrown(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit);

/** Returns the address at which the calling thread's innermost compiled code is; 0 if none. For callbacks. */
uintptr_t stacks_code_here(void);

/**
 * Walks the stack that a signal interrupted; the innermost frames are the interrupted native functions
 * (native_frames.h), if any, and the next one what the runtime does there for the managed code, if known
 * (runtime_work.h).
 * Async-signal-safe. Returns the number of frames, as stacks_here(), or 0 if the interrupted code records or the
 * filters leave the sample out.
 */
size_t stacks_interrupted(const void *address, const void *context, mprof_frame *frames, size_t limit);

#endif
