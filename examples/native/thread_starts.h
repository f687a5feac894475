/* SPDX-License-Identifier: MIT */
/**
 * \file thread_starts.h
 * \brief Calls a function at the start of each thread of the program, by interposing pthread_create(), fork() and the
 * function of the C library that calls main().
 */
#ifndef NATIVE_THREAD_STARTS_H
#define NATIVE_THREAD_STARTS_H

#include <stdint.h>

/**
 * Called first on each thread; for the main thread, immediately before main(). \p frame: the frame address of the
 * function of this module that calls the thread's first function.
 */
typedef void (*thread_start_function)(uintptr_t frame);

/** Sets the function, before main() or from then on for new threads; NULL for none. */
void thread_starts_set(thread_start_function function);

/**
 * Sets a function that fork() calls in the child before it returns there; NULL for none. Unlike handlers of
 * pthread_atfork(), it may start threads.
 */
void thread_starts_set_child(void (*function)(void));

/** Whether the calling thread's new threads belong to this module, and the function is not called on them. */
void thread_starts_set_own(int is_own);

#endif
