/* SPDX-License-Identifier: MIT */
/* Converts counters to nanoseconds. */
#include "model/profile_clock.h"

/* 2^64, the first number that uint64_t cannot represent. */
#define LIMIT 18446744073709551616.0

uint64_t profile_clock_duration(const profile_clock *clock, uint64_t counters)
{
	double nanoseconds;

	/* A double has 53 bits: without a conversion the counters stay exact. */
	if (clock->nanoseconds_per_counter == 1)
		return counters;
	nanoseconds = (double)counters * clock->nanoseconds_per_counter + 0.5;
	return nanoseconds < LIMIT ? (uint64_t)nanoseconds : UINT64_MAX;
}

uint64_t profile_clock_sum(const profile_clock *clock, uint64_t counters)
{
	return counters == UINT64_MAX ? UINT64_MAX : profile_clock_duration(clock, counters);
}

int64_t profile_clock_time(const profile_clock *clock, uint64_t counter)
{
	uint64_t since = counter - clock->origin;
	uint64_t nanoseconds;

	if ((int64_t)since < 0) {
		nanoseconds = profile_clock_duration(clock, 0 - since);
		return nanoseconds < (uint64_t)INT64_MAX ? -(int64_t)nanoseconds : INT64_MIN;
	}
	nanoseconds = profile_clock_duration(clock, since);
	return nanoseconds < (uint64_t)INT64_MAX ? (int64_t)nanoseconds : INT64_MAX;
}
