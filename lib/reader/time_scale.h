/* SPDX-License-Identifier: MIT */
/**
 * \file reader/time_scale.h
 * \brief Converts counters of a log to times: by the frequency that the log states, otherwise by its clock pairs.
 */
#ifndef READER_TIME_SCALE_H
#define READER_TIME_SCALE_H

#include <mprof/format.h>

#define TIME_SCALE_PAIRS 64

typedef struct time_scale {
	int has_clock;
	mprof_clock first;
	mprof_clock last; /**< The clock pair whose counter is furthest after that of first. */

	double stated;          /**< Units of the counter per second that the log states; 0: none. */
	uint64_t stated_offset; /**< Offset of the block that states it. */

	/**
	 * Some of the clock pairs, the first one and others at least spacing apart, by counter. Steps of the wall clock
	 * are found between them, in whatever order they were read.
	 */
	mprof_clock pairs[TIME_SCALE_PAIRS];
	uint32_t count;
	uint64_t spacing;

	double measured;     /**< The frequency by the clock pairs, without the steps; 0: not known. */
	uint32_t steps;      /**< Between how many neighbours of the pairs the wall clock was set. */
	int64_t step_amount; /**< By how many microseconds, all together. */
} time_scale;

/** Adds a clock pair. After the first one, they may be added in any order. */
void time_scale_add(time_scale *scale, const mprof_clock *clock);

/** Sets the frequency that a block states. That of the last block in the log applies, in any order of reading. */
void time_scale_state(time_scale *scale, double counters_per_second, uint64_t offset);

/** The frequency of the counter in Hz; 0 if not known. */
double time_scale_counters_per_second(const time_scale *scale);

/** Nanoseconds from the first to the last clock pair: by the counter, or by the wall clock if its unit is not known. */
uint64_t time_scale_duration(const time_scale *scale);

/**
 * Converts a counter to nanoseconds since the first clock pair, clamped to 64 bits. Returns 0 if the scale is not
 * known; the counter is then taken as nanoseconds.
 */
int time_scale_convert(const time_scale *scale, uint64_t counter, int64_t *nanoseconds);

/**
 * Finds the first counter whose time is not before \p nanoseconds. Returns 0 if the scale is not known; counters are
 * then taken as nanoseconds.
 */
int time_scale_invert(const time_scale *scale, int64_t nanoseconds, uint64_t *counter);

#endif
