/* SPDX-License-Identifier: MIT */
/**
 * \file unwinding_thread.h
 * \brief The thread that unwinds copied stacks and records them as samples.
 */
#ifndef NATIVE_UNWINDING_THREAD_H
#define NATIVE_UNWINDING_THREAD_H

#include <mprof/recorder.h>

#include "stack_copies.h"

/** Numbers of all samples so far. */
typedef struct unwinding_counts {
	uint64_t copied;    /**< Stacks that were copied. */
	uint64_t bytes;     /**< Copied bytes. */
	uint64_t truncated; /**< Copied stacks of which the outer frames could not be unwound. */
} unwinding_counts;

/**
 * Starts the thread. \p limit: maximum number of frames. \p begin_thread is called first on it. \p finish is called on
 * it for unwinding_thread_finish(). Returns 0 or an errno value.
 */
int unwinding_thread_start(mprof_recorder *recorder, size_t limit, void (*begin_thread)(void),
			   void (*finish)(mprof_recorder *recorder));

/** Wakes the thread after a copy was published. Async-signal-safe. */
void unwinding_thread_wake(void);

/**
 * Waits until the stacks that were copied before are recorded: call it before code is unloaded. Gives up after a tenth
 * of a second.
 */
void unwinding_thread_wait(void);

/**
 * Waits until the thread has recorded all copies that were published and has called \p finish, but for a short time
 * only. Does nothing without the thread. Can be called in signal handlers: it takes no lock.
 */
void unwinding_thread_finish(void);

/** Ends the thread after it has recorded all copies that were published. */
void unwinding_thread_stop(void);

/** Called before fork(): lets the thread finish a stack, so that it holds no lock of the C library in the child. */
void unwinding_thread_prepare_fork(void);

/** Called in the parent after fork(). */
void unwinding_thread_continue(void);

/** Called in a child of fork(), which does not have the thread. */
void unwinding_thread_forget(void);

unwinding_counts unwinding_thread_counts(void);

#endif
