/* SPDX-License-Identifier: MIT */
/**
 * \file stacks.h
 * \brief Call chains, as the runtime's asynchronous walk gives them.
 *
 * That walk is used everywhere: it takes no lock, and of code that generic types share it names the method that the
 * runtime reported when the code was made, so that no frame is without a name. The module must hear of all such reports
 * for that, see methods_install().
 */
#ifndef STACKS_H
#define STACKS_H

#include "threads.h"

/**
 * The calling thread's chain, without what the runtime made itself on top of it. A method that it compiles stands on
 * top of the code that needed it. For callbacks, where the thread is in the runtime's code. Returns how many frames
 * there are, at most \p limit.
 */
size_t stacks_here(MonoProfiler *profiler, thread_state *state, mprof_frame *frames, size_t limit);

/** Where the calling thread's innermost code is that the runtime compiled; 0 if there is none. For callbacks. */
uintptr_t stacks_code_here(void);

/**
 * The chain that a signal interrupted, the innermost frame being the interrupted address if that is native code. For
 * signal handlers. At least one frame, at most \p limit.
 */
size_t stacks_interrupted(const void *address, const void *context, mprof_frame *frames, size_t limit);

#endif
