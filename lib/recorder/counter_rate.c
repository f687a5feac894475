/* SPDX-License-Identifier: MIT */
/* States the frequency of the counter ever more exactly: after 10, 20, 40 ... milliseconds, and at the end. */
#include "recorder/counter_rate.h"

#include "format/rate_text.h"

#define FIRST_NANOSECONDS UINT64_C(10000000)

/* The clock that runs while the system sleeps is ahead of the other one by this much more after it has slept. */
#define SLEEP_NANOSECONDS UINT64_C(1000000)

/* The frequency of a unit of the log whose counter has \p frequency. */
static double in_log(const counter_source *source, double frequency)
{
	return frequency / (double)(UINT64_C(1) << source->log_shift);
}

void counter_rate_begin(counter_rate *rate, const counter_source *source, double given, const counter_instant *now)
{
	rate->source = source;
	rate->due_ns = FIRST_NANOSECONDS;
	rate->is_measuring = 0;
	if (counter_is_monotonic_clock(source)) {
		rate->stated = in_log(source, 1e9);
	} else if (source->read != NULL) {
		rate->stated = in_log(source, given);
		rate->start = *now;
		rate->is_measuring = given == 0;
	} else {
		rate->stated = counter_frequency(source, &rate->start, now);
		rate->measured_ns = now->monotonic_ns - rate->start.monotonic_ns;
		rate->is_measuring = 1;
	}
}

/* Some counters stop while the system sleeps, some do not, so a measurement over a sleep is of no use. */
static int has_slept(const counter_instant *start, const counter_instant *now)
{
	const uint64_t before = start->boottime_ns - start->monotonic_ns;
	const uint64_t after = now->boottime_ns - now->monotonic_ns;

	return start->boottime_ns != 0 && after - before > SLEEP_NANOSECONDS && before - after > SLEEP_NANOSECONDS;
}

/* Whether a measurement of \p elapsed nanoseconds is due. The last one is worth a block if it is a quarter longer. */
static int is_due(const counter_rate *rate, uint64_t elapsed, int is_last)
{
	return elapsed >= rate->due_ns || (is_last && elapsed > rate->measured_ns + rate->measured_ns / 4);
}

int counter_rate_update(counter_rate *rate, int is_last, counter_instant *now)
{
	uint64_t elapsed;
	double measured;

	if (!rate->is_measuring)
		return 0;
	elapsed = counter_monotonic_nanoseconds() - rate->start.monotonic_ns;
	if (!is_due(rate, elapsed, is_last))
		return 0;
	counter_read_instant(rate->source, now);
	if (has_slept(&rate->start, now)) {
		/* Begins again, and must take longer than what was measured before. */
		rate->start = *now;
		rate->due_ns = rate->measured_ns > FIRST_NANOSECONDS ? rate->measured_ns : FIRST_NANOSECONDS;
		return 0;
	}
	measured = counter_frequency(rate->source, &rate->start, now);
	elapsed = now->monotonic_ns - rate->start.monotonic_ns;
	rate->due_ns = elapsed * 2;
	if (!rate_is_valid(measured))
		return 0;
	rate->measured_ns = elapsed;
	rate->stated = measured;
	return 1;
}
