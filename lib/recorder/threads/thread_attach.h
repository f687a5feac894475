/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/threads/thread_attach.h
 * \brief Handles of recording threads: where they are created, listed and freed. What the system counts for a thread:
 * how long it has existed, run, and waited for a processor, and how often it was switched.
 */
#ifndef RECORDER_THREADS_THREAD_ATTACH_H
#define RECORDER_THREADS_THREAD_ATTACH_H

#include "recorder/threads/thread.h"

/**
 * Creates the handle of the calling thread and lists it. \p id: its ID in the log; 0: the system's. Statuses are those
 * of mprof_recorder_attach(). Recording threads, without cancellation.
 */
mprof_status thread_attach(recorder_shared *shared, uint64_t id, mprof_thread **thread);

/**
 * For recovery: creates the detached handle of a thread of a process that has ended. Its buffers, from a sequence
 * number on, are passed to buffer_pool_push_full(). Returns NULL if there is no memory.
 */
mprof_thread *thread_recover(recorder_shared *shared, uint64_t id, uint32_t serial, uint32_t first_sequence,
			     uint32_t end_sequence);

/** Removes a handle from the lists by ID. The caller holds threads_lock. Writer thread. */
void thread_remove_by_id(mprof_thread *thread);

/** Frees a handle that is on no list. Writer thread, or after its end. */
void thread_release(mprof_thread *thread);

/**
 * Reads the counts of a thread of this process. Returns 0 if it has ended, or the system does not measure its times;
 * nothing is available then.
 * Any thread; opens and closes files, so it is not async-signal-safe.
 */
int thread_clock_read(uint32_t id, thread_clock *clock);

#endif
