/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/threads/thread_clock.h
 * \brief How long a thread of this process has existed, run, and waited for a processor, and how often it was switched,
 * as the system counts it.
 */
#ifndef RECORDER_THREADS_THREAD_CLOCK_H
#define RECORDER_THREADS_THREAD_CLOCK_H

#include "format/blocks/records.h"

#include <stdatomic.h>
#include <stdint.h>

/** What the system has counted for a thread since it started; #THREAD_WALL_TIME is the time of the monotonic clock. */
typedef struct thread_clock {
	uint64_t values[THREAD_METRIC_COUNT]; /**< By #thread_metric; times in nanoseconds. */
	uint32_t available;                   /**< Bits 1 << #thread_metric: those that the system counts. */
} thread_clock;

/** The system's ID of the calling thread; 0 if the system has none that other threads can use. */
uint32_t thread_clock_own_id(void);

/**
 * Reads the counts of a thread of this process. Returns 0 if it has ended, or the system does not measure its times;
 * nothing is available then.
 * Any thread; opens and closes files, so it is not async-signal-safe.
 */
int thread_clock_read(uint32_t id, thread_clock *clock);

/** What was counted for a thread when it was attached and detached. */
typedef struct attached_times {
	thread_clock begin; /**< When it was attached. */
	thread_clock end;   /**< When it was detached. Stored by the owner before mprof_thread::detached. */
	/**
	 * 1 before the end is read. The owner stores it before it reads its clocks, and the writer thread loads it
	 * after it has read them, both sequentially consistent; clocks are read with system calls, which no access
	 * moves across. So if the writer thread loads 0, what it has read is not later than the end.
	 */
	_Atomic int is_ending;
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
