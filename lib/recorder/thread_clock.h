/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/thread_clock.h
 * \brief How long a thread of this process has existed, run, and waited for a processor, as the system counts it.
 */
#ifndef RECORDER_THREAD_CLOCK_H
#define RECORDER_THREAD_CLOCK_H

#include <stdint.h>

/** The times of a thread, in nanoseconds. */
typedef struct thread_clock {
	uint64_t wall;  /**< Time of the monotonic clock. */
	uint64_t cpu;   /**< Processor time since the thread started. */
	uint64_t ready; /**< Time since the thread started in which it could run and other threads ran. */
	int has_ready;  /**< 0 if the system does not count that. */
} thread_clock;

/** The system's ID of the calling thread; 0 if the system has none that other threads can use. */
uint32_t thread_clock_own_id(void);

/**
 * Reads the times of a thread of this process. Returns 0 if it has ended, or the system has no such times. Any thread;
 * opens and closes a file, so it is not async-signal-safe.
 */
int thread_clock_read(uint32_t id, thread_clock *clock);

/** The times at which a thread was attached and detached. */
typedef struct attached_times {
	thread_clock begin; /**< When it was attached. */
	thread_clock end;   /**< When it was detached. Stored by the owner before mprof_thread::detached. */
	uint32_t system_id;
	int is_counted; /**< The times are recorded. */
} attached_times;

/**
 * Notes that the calling thread was attached under an ID. Its times are counted only if that is its system ID, since
 * clients also attach handles for events that belong to no thread.
 */
void attached_times_begin(attached_times *times, uint64_t id);

/** Notes that the thread is about to be detached. Any thread. */
void attached_times_end(attached_times *times);

#endif
