/* SPDX-License-Identifier: MIT */
/* Converts counters to times and back, and finds out where the wall clock was set. */
#include "reader/time_scale.h"

#include <string.h>

/* A difference is a step only if it is longer than what a preempted reading of the clock explains, */
#define STEP_MICROSECONDS 100000.0
/* and than a clock that is slewed: by half a thousandth at most. */
#define STEP_SHARE 1e-3

/* The difference between two neighbours of the clock pairs. */
typedef struct span {
	double counters;
	double microseconds;
} span;

/* Differences of counters are modulo 2^64: the upper half stands for earlier counters. */
static int64_t counter_difference(uint64_t later, uint64_t earlier)
{
	return (int64_t)(later - earlier);
}

static uint64_t since_first(const time_scale *scale, const mprof_clock *clock)
{
	return clock->counter - scale->first.counter;
}

static span span_between(const mprof_clock *from, const mprof_clock *to)
{
	const double time = to->time >= from->time ? (double)(to->time - from->time) : -(double)(from->time - to->time);

	return (span){(double)(to->counter - from->counter), time};
}

/* The spans between the pairs, and from the last of them to the last clock. Returns their number. */
static uint32_t list_spans(const time_scale *scale, span spans[TIME_SCALE_PAIRS])
{
	const mprof_clock *newest = &scale->pairs[scale->count - 1];
	uint32_t count = 0;

	for (uint32_t i = 1; i < scale->count; i++)
		spans[count++] = span_between(&scale->pairs[i - 1], &scale->pairs[i]);
	if (since_first(scale, &scale->last) > since_first(scale, newest))
		spans[count++] = span_between(newest, &scale->last);
	return count;
}

/* By how much the wall clock was set within a span, if a unit lasts \p unit microseconds; 0 if it was not. */
static double step_of(const span *of_pair, double unit)
{
	const double expected = of_pair->counters * unit;
	const double difference = of_pair->microseconds - expected;
	const double least = STEP_MICROSECONDS + STEP_SHARE * expected;

	return difference > least || difference < -least ? difference : 0;
}

/*
 * The length of a unit that more than half of the counter's way agrees with: the median of the spans, each with the
 * weight of its length. Short spans are left out, because what they say is inexact. Returns 0 if there is none.
 */
static double median_unit(const span *spans, uint32_t count, double all)
{
	double units[TIME_SCALE_PAIRS];
	double weights[TIME_SCALE_PAIRS];
	double below = 0;
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		const double unit = spans[i].microseconds / spans[i].counters;
		uint32_t at = used;

		if (spans[i].counters * 4 * TIME_SCALE_PAIRS < all)
			continue;
		for (; at > 0 && units[at - 1] > unit; at--) {
			units[at] = units[at - 1];
			weights[at] = weights[at - 1];
		}
		units[at] = unit;
		weights[at] = spans[i].counters;
		used++;
	}
	for (uint32_t i = 0; i < used; i++) {
		below += weights[i];
		if (below * 2 >= all)
			return units[i];
	}
	return 0;
}

/* Adds up the spans that have no step. */
static span sum_without_steps(const span *spans, uint32_t count, double unit)
{
	span sum = {0, 0};

	for (uint32_t i = 0; i < count; i++) {
		if (step_of(&spans[i], unit) == 0) {
			sum.counters += spans[i].counters;
			sum.microseconds += spans[i].microseconds;
		}
	}
	return sum;
}

static void count_steps(time_scale *scale, const span *spans, uint32_t count, double unit)
{
	double amount = 0;

	for (uint32_t i = 0; i < count; i++) {
		const double step = step_of(&spans[i], unit);

		scale->steps += step != 0;
		amount += step;
	}
	if (amount > -9e18 && amount < 9e18)
		scale->step_amount = (int64_t)amount;
}

/* Two spans that disagree do not show which of them has the step. */
#define MIN_SPANS 3

static void measure(time_scale *scale)
{
	const span whole = span_between(&scale->first, &scale->last);
	span spans[TIME_SCALE_PAIRS];
	const uint32_t count = list_spans(scale, spans);
	double unit = scale->stated > 0 ? 1e6 / scale->stated : 0;
	span sound = whole;

	scale->steps = 0;
	scale->step_amount = 0;
	if (unit == 0 && count >= MIN_SPANS)
		unit = median_unit(spans, count, whole.counters);
	if (unit > 0) {
		span sum = sum_without_steps(spans, count, unit);

		if (sum.counters * 2 >= whole.counters)
			sound = sum;
		if (sum.counters * 2 >= whole.counters || scale->stated > 0)
			count_steps(scale, spans, count, unit);
	}
	/* Exactly what the first and the last clock pair say, if nothing is wrong with them. */
	if (scale->steps == 0)
		sound = whole;
	scale->measured = sound.counters > 0 && sound.microseconds > 0 ? sound.counters * 1e6 / sound.microseconds : 0;
}

/* Makes room: keeps pairs that are further apart, at most half of them. */
static void thin_out(time_scale *scale)
{
	uint32_t kept = 1;

	scale->spacing = since_first(scale, &scale->pairs[scale->count - 1]) / (TIME_SCALE_PAIRS / 2) + 1;
	for (uint32_t i = 1; i < scale->count; i++) {
		if (scale->pairs[i].counter - scale->pairs[kept - 1].counter >= scale->spacing)
			scale->pairs[kept++] = scale->pairs[i];
	}
	scale->count = kept;
}

/* Keeps a pair that is far enough from its neighbours. Returns 0 if it is not. */
static int insert(time_scale *scale, const mprof_clock *clock)
{
	const uint64_t since = since_first(scale, clock);
	uint32_t at = scale->count;

	while (at > 0 && since_first(scale, &scale->pairs[at - 1]) > since)
		at--;
	if (since - since_first(scale, &scale->pairs[at - 1]) < scale->spacing ||
	    (at < scale->count && since_first(scale, &scale->pairs[at]) - since < scale->spacing))
		return 0;
	memmove(&scale->pairs[at + 1], &scale->pairs[at], (scale->count - at) * sizeof(*scale->pairs));
	scale->pairs[at] = *clock;
	if (++scale->count == TIME_SCALE_PAIRS)
		thin_out(scale);
	return 1;
}

void time_scale_add(time_scale *scale, const mprof_clock *clock)
{
	const int64_t since = counter_difference(clock->counter, scale->first.counter);
	int is_last;

	if (!scale->has_clock) {
		scale->has_clock = 1;
		scale->first = *clock;
		scale->last = *clock;
		scale->pairs[0] = *clock;
		scale->count = 1;
		scale->spacing = 1;
		return;
	}
	is_last = since > counter_difference(scale->last.counter, scale->first.counter);
	if (is_last)
		scale->last = *clock;
	if (since > 0 && (insert(scale, clock) || is_last))
		measure(scale);
}

void time_scale_state(time_scale *scale, double counters_per_second, uint64_t offset)
{
	if (scale->stated > 0 && offset < scale->stated_offset)
		return;
	scale->stated = counters_per_second;
	scale->stated_offset = offset;
	if (scale->has_clock)
		measure(scale);
}

double time_scale_counters_per_second(const time_scale *scale)
{
	return scale->stated > 0 ? scale->stated : scale->measured;
}

uint64_t time_scale_duration(const time_scale *scale)
{
	int64_t duration;

	if (time_scale_convert(scale, scale->last.counter, &duration))
		return duration > 0 ? (uint64_t)duration : 0;
	/* The counter has not moved, so nothing contradicts the wall clock. */
	return scale->last.time > scale->first.time ? (scale->last.time - scale->first.time) * 1000 : 0;
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
	const int64_t difference = counter_difference(counter, scale->first.counter);
	const double rate = time_scale_counters_per_second(scale);

	*nanoseconds = difference;
	if (!scale->has_clock || rate <= 0)
		return 0;
	/*
	 * The quotient is computed first. It has 53 significant bits, so the rounding error in a log of a day is far
	 * below a nanosecond.
	 */
	*nanoseconds = clamp_to_int64((double)difference * (1e9 / rate));
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
