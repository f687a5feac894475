/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/counter_rate.h
 * \brief Measures the frequency of the counter against the monotonic clock, which is never set, for the SESSION block.
 */
#ifndef RECORDER_COUNTER_RATE_H
#define RECORDER_COUNTER_RATE_H

#include "recorder/counter.h"

/** Owner: the writer thread once it runs; before that, the thread that opens the recorder. */
typedef struct counter_rate {
	const counter_source *source;
	counter_instant start; /**< Where the measurement began. */
	double stated;         /**< Units of the log per second, as stated last; 0: not yet. */
	uint64_t measured_ns;  /**< Nanoseconds over which that was measured. */
	uint64_t due_ns;       /**< How long the next measurement must be. */
	int is_measuring;      /**< 0: the frequency is known exactly, or this recorder completes the log of another. */
} counter_rate;

/**
 * Begins to measure from counter_rate::start, which the caller has set, and states what is known already. \p given is
 * the frequency of the client's counter, 0 if not known: then \p now, its first reading, begins the measurement.
 */
void counter_rate_begin(counter_rate *rate, const counter_source *source, double given, const counter_instant *now);

/**
 * Measures up to now, if that is long enough to state a better frequency than the last one, or \p is_last and at least
 * somewhat longer. Returns 1 if counter_rate::stated has changed; \p now is then the time at which it was measured.
 */
int counter_rate_update(counter_rate *rate, int is_last, counter_instant *now);

#endif
