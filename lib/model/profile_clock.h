/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile_clock.h
 * \brief Converts counters to nanoseconds.
 */
#ifndef MODEL_PROFILE_CLOCK_H
#define MODEL_PROFILE_CLOCK_H

#include <stdint.h>

/** Set by mprof_profile_finish(). */
typedef struct profile_clock {
	uint64_t origin;                /**< Counter at the start of the session. */
	double nanoseconds_per_counter; /**< 1 while it is not known. */
} profile_clock;

/** Converts a number of counters, at most to UINT64_MAX. */
uint64_t profile_clock_duration(const profile_clock *clock, uint64_t counters);

/** As profile_clock_duration(), for a sum that saturates: UINT64_MAX remains UINT64_MAX. */
uint64_t profile_clock_sum(const profile_clock *clock, uint64_t counters);

/** Converts a counter to nanoseconds since the start of the session. */
int64_t profile_clock_time(const profile_clock *clock, uint64_t counter);

#endif
