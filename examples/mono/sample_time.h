/* SPDX-License-Identifier: MIT */
/**
 * \file sample_time.h
 * \brief Measures the time that samples stand for, and decides which hits become samples.
 *
 * All functions but the last four are async-signal-safe and concern the calling thread.
 */
#ifndef SAMPLE_TIME_H
#define SAMPLE_TIME_H

#include <stdint.h>
#include <time.h>

/** Numbers of all threads together. */
typedef struct sample_totals {
	uint64_t time_ns;   /**< Time during which threads were sampled, by the clock. */
	uint64_t hits;      /**< Samples taken. */
	uint64_t discarded; /**< Hits of threads that had not run. */
} sample_totals;

/** Begins to measure the thread, unless it is measured already. Recording resumes with it after an end. */
void sample_time_begin(void);

/**
 * Accounts for the time since the last call of any of these functions. Returns whether it completes a sampling period;
 * excess time counts for the next sample. A thread that did not run since then is counted as discarded.
 */
int sample_time_is_due(int *has_run);

/** Accounts for the time since then, and counts a sample however much it is. */
void sample_time_count(void);

/** Leaves the time since the last call out: of a handler, or of a pause in recording. */
void sample_time_skip(void);

/** Not in signal handlers. Accounts for the rest of the thread's time, and stops to measure it. */
void sample_time_end(void);

/** Sets the clock, which counts for each thread, and the period. Without a call nothing is measured. */
void sample_time_set(clockid_t clock, uint64_t period_ns);

/**
 * Sets another period while threads are measured. What they ran since their last sample is left out, so that a pause in
 * sampling counts for none. Any thread.
 */
void sample_time_change(uint64_t period_ns);

sample_totals sample_time_totals(void);

#endif
