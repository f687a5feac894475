/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain_threads.h
 * \brief Threads that convert full buffers to blocks for the writer thread.
 *
 * The buffers of a recording thread are converted in order, by one thread at a time; those of different threads at the
 * same time. The tables of keys do not change while any of these threads runs: a slot that needs a new ID, or is not
 * one of the frequent events, is left to the writer thread, which converts it when none of them runs. The writer thread
 * alone writes blocks, commits them and gives buffers back.
 */
#ifndef RECORDER_DRAIN_THREADS_H
#define RECORDER_DRAIN_THREADS_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

/**
 * Starts drain_threads::wanted threads, which inherit the signal mask of the caller; fewer if the system refuses.
 * Called before the writer thread starts.
 */
void drain_threads_start(drain_threads *threads, const recorder_drain *drain, const pthread_attr_t *attributes);

/** Ends the threads. After the writer thread has ended. */
void drain_threads_finish(drain_threads *threads);

/** Frees memory. After drain_threads_finish(), or in a child made by fork(), which has none of the threads. */
void drain_threads_destroy(drain_threads *threads, const mprof_allocator *allocator);

/** Whether there are enough full buffers of different threads to convert them at the same time. Writer thread. */
int drain_threads_help(const drain_threads *threads, const mprof_thread *first);

/** Drains the full buffers of threads, which are linked by thread_round::next_full. Writer thread. */
void drain_threads_run(recorder_drain *drain, mprof_thread *first);

#endif
