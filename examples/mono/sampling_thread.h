/* SPDX-License-Identifier: MIT */
/**
 * \file sampling_thread.h
 * \brief Waits for the start of the thread with which the runtime takes samples.
 *
 * When its program has ended, Mono 6.8 waits for all threads that are not marked as its own. Its sampling thread marks
 * itself when it begins to run; in a program that ends before, Mono would wait for it without end.
 */
#ifndef MONO_SAMPLING_THREAD_H
#define MONO_SAMPLING_THREAD_H

/** Called before the runtime creates the thread. */
void sampling_thread_expect(void);

/** Called on a thread to which the runtime gives \p name. The sampling thread is marked by then. */
void sampling_thread_see_name(const char *name);

/**
 * Waits until the sampling thread is marked, for a second at most. Called on the main thread before the program begins.
 */
void sampling_thread_await(void);

#endif
