/* SPDX-License-Identifier: MIT */
/* Converts counters to times and back, by the clock pairs of the log. */
#include "reader/time_scale.h"

/* Differences of counters are modulo 2^64: the upper half stands for earlier counters. */
static int64_t counter_difference(uint64_t later, uint64_t earlier)
{
	return (int64_t)(later - earlier);
}

void time_scale_add(time_scale *scale, const mprof_clock *clock)
{
	if (!scale->has_clock) {
		scale->has_clock = 1;
		scale->first = *clock;
		scale->last = *clock;
		return;
	}
	if (counter_difference(clock->counter, scale->first.counter) >
	    counter_difference(scale->last.counter, scale->first.counter))
		scale->last = *clock;
}

/*
 * Computes the differences of both clocks from the first to the last clock pair. Returns 0 unless both have increased.
 */
static int measure_spans(const time_scale *scale, uint64_t *counters, uint64_t *microseconds)
{
	*counters = scale->last.counter - scale->first.counter;
	*microseconds = scale->last.time - scale->first.time;
	return *counters > 0 && scale->last.time > scale->first.time;
}

double time_scale_counters_per_second(const time_scale *scale)
{
	uint64_t counters;
	uint64_t microseconds;

	if (!measure_spans(scale, &counters, &microseconds))
		return 0;
	return (double)counters * 1e6 / (double)microseconds;
}

static int64_t clamp_to_int64(double value)
{
	/* 2^63 is out of range; -2^63 is not. */
	if (value >= 9223372036854775808.0)
		return INT64_MAX;
	if (value <= -9223372036854775808.0)
		return INT64_MIN;
	return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

int time_scale_convert(const time_scale *scale, uint64_t counter, int64_t *nanoseconds)
{
	int64_t difference = counter_difference(counter, scale->first.counter);
	uint64_t counters;
	uint64_t microseconds;

	*nanoseconds = difference;
	if (!measure_spans(scale, &counters, &microseconds))
		return 0;
	/*
	 * The quotient is computed first. It has 53 significant bits, so the rounding error in a log of a day is far
	 * below a nanosecond.
	 */
	*nanoseconds = clamp_to_int64((double)difference / (double)counters * ((double)microseconds * 1000));
	return 1;
}

int time_scale_invert(const time_scale *scale, int64_t nanoseconds, uint64_t *counter)
{
	uint64_t low = 0;
	uint64_t high = UINT64_MAX;
	int64_t found;

	*counter = scale->first.counter + (uint64_t)nanoseconds;
	if (!time_scale_convert(scale, *counter, &found))
		return 0;
	/* Binary search among the differences from the first counter: the conversion is monotonic. */
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		(void)time_scale_convert(scale, scale->first.counter + (middle ^ UINT64_C(1) << 63), &found);
		if (found < nanoseconds)
			low = middle + 1;
		else
			high = middle;
	}
	*counter = scale->first.counter + (low ^ UINT64_C(1) << 63);
	return 1;
}
