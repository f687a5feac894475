/* SPDX-License-Identifier: MIT */
/**
 * \file sample_time.h
 * \brief Measures the time that samples represent, and decides which hits become samples.
 *
 * All functions but the last five are async-signal-safe and concern the calling thread.
 */
#ifndef SAMPLE_TIME_H
#define SAMPLE_TIME_H

#include <stdint.h>
#include <time.h>

/** Numbers of all threads together. */
typedef struct sample_totals {
	uint64_t time_ns;   /**< Time during which threads were sampled, by the clock. */
	uint64_t hits;      /**< Samples taken. */
	uint64_t discarded; /**< Hits that are no samples: the thread had not run, or was in the profiler. */
} sample_totals;

/** Starts to measure the thread, unless it is measured already; also after sample_time_end(). */
void sample_time_begin(void);

/**
 * Accounts for the time since the last call of any of these functions. Returns the time that the thread ran since then,
 * in nanoseconds; if 0, the hit is counted as discarded.
 */
uint64_t sample_time_run(void);

/**
 * Returns 1 and counts a sample if the time accounted for completes a sampling period; excess time counts for the next
 * sample.
 */
int sample_time_is_due(void);

/** Accounts for the time since the last call, and counts a sample regardless of the length of this time. */
void sample_time_count(void);

/** Turns the sample that was counted last into a discarded hit, and leaves out the time that it represents. */
void sample_time_discard(void);

/** Leaves out the time since the last call: that of a handler, or of a pause in recording. */
void sample_time_skip(void);

/** Accounts for the rest of the thread's time, and stops measuring it. Not in signal handlers. */
void sample_time_end(void);

/**
 * Sets the clock that each thread reads, and the period in nanoseconds; 0: nothing is measured until
 * sample_time_change(). Without a call nothing is measured.
 */
void sample_time_set(clockid_t clock, uint64_t period_ns);

/**
 * Sets another period while threads are measured; 0 stops that. The time since their last sample is left out, so that
 * no sample represents a pause in sampling. Any thread.
 */
void sample_time_change(uint64_t period_ns);

/** Numbers of all threads so far. Any thread. */
sample_totals sample_time_totals(void);

/** Sets these numbers to 0: in a child of fork(). */
void sample_time_reset(void);

#endif
