/* SPDX-License-Identifier: MIT */
/**
 * \file reader/time_scale.h
 * \brief Converts counters of a log to times, by the first and the latest of its clock pairs.
 */
#ifndef READER_TIME_SCALE_H
#define READER_TIME_SCALE_H

#include <mprof/format.h>

typedef struct time_scale {
	int has_clock;
	mprof_clock first;
	mprof_clock last; /**< The clock pair whose counter is furthest after that of first. */
} time_scale;

/** Adds a clock pair. After the first one, they may be added in any order. */
void time_scale_add(time_scale *scale, const mprof_clock *clock);

/** The frequency of the counter in Hz; 0 if not known. */
double time_scale_counters_per_second(const time_scale *scale);

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
