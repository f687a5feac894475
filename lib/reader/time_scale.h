/* SPDX-License-Identifier: MIT */
/**
 * \file reader/time_scale.h
 * \brief Counters of a log as times, from the first and the latest of its CLOCKs.
 */
#ifndef READER_TIME_SCALE_H
#define READER_TIME_SCALE_H

#include <mprof/format.h>

typedef struct time_scale {
	int has_clock;
	mprof_clock first;
	mprof_clock last; /**< With the largest difference of its counter to the first one's. */
} time_scale;

/** Takes note of a CLOCK. They may come in any order but for the first. */
void time_scale_add(time_scale *scale, const mprof_clock *clock);

/** How fast the counter goes; 0 if not known. */
double time_scale_counters_per_second(const time_scale *scale);

/**
 * Nanoseconds from the first CLOCK to a counter, as near as 64 bits can say. Returns 0 if the scale is not known: the
 * counter is then taken as nanoseconds.
 */
int time_scale_convert(const time_scale *scale, uint64_t counter, int64_t *nanoseconds);

/**
 * The first counter whose time is not before \p nanoseconds. Returns 0 if the scale is not known, as above.
 */
int time_scale_invert(const time_scale *scale, int64_t nanoseconds, uint64_t *counter);

#endif
