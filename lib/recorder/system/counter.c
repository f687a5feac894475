/* SPDX-License-Identifier: MIT */
/* The counter of a recorder, and its frequency. */
#include "recorder/system/counter.h"

#include "format/values/clock_conversion.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/*
 * Longest unit unless whole ticks are requested. It is below the noise: recording an event takes about as long, and so
 * does a step of the register on some machines; doc/architecture.md has the measurements. The limit is not 16, because
 * the unit of a processor with 2 GHz would then depend on the error of the measured rate.
 */
#define MAX_UNIT_NANOSECONDS 17

/* How long the counter is compared with the clock to measure its rate, to a few parts in a thousand. */
#define CALIBRATION_NANOSECONDS 100000
#define READINGS 5

static uint64_t monotonic_nanoseconds(void *user)
{
	struct timespec now;

	(void)user;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Whether the register has a constant rate on all cores, independent of frequency and sleep states. */
static int register_is_steady(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & 1 << 8) != 0;
#elif defined(__aarch64__)
	return 1;
#else
	return 0;
#endif
}

/* CLOCK_MONOTONIC. */
static uint64_t counter_monotonic_nanoseconds(void)
{
	return monotonic_nanoseconds(NULL);
}

static uint64_t nanoseconds_of(clockid_t clock)
{
	struct timespec now = {0, 0};

	return clock_gettime(clock, &now) == 0 ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec : 0;
}

/* Reads all clocks once. Returns how far apart the readings are, in units of the counter. */
static uint64_t read_clocks(const counter_source *source, counter_instant *now)
{
	const uint64_t before = counter_read(source);

	now->counter = before;
	now->monotonic_ns = nanoseconds_of(CLOCK_MONOTONIC);
	now->time_us = nanoseconds_of(CLOCK_REALTIME) / 1000;
	now->boottime_ns = 0;
#if defined(CLOCK_BOOTTIME)
	now->boottime_ns = nanoseconds_of(CLOCK_BOOTTIME);
#endif
	return source->read == NULL ? counter_read(source) - before : 0;
}

/*
 * The first reading of a clock may take microseconds, and the thread may be interrupted between the readings. Hence the
 * closest of several is taken: an error of a tenth would make a unit of another length. A client's counter is read
 * once, because its readings may change it.
 */
void counter_read_instant(const counter_source *source, counter_instant *now)
{
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < READINGS && shortest > 0; i++) {
		counter_instant read;
		const uint64_t between = read_clocks(source, &read);

		if (between < shortest) {
			shortest = between;
			*now = read;
		}
	}
}

double counter_frequency(const counter_source *source, const counter_instant *start, const counter_instant *end)
{
	const double units = (double)(end->counter - start->counter) / (double)(UINT64_C(1) << source->log_shift);
	const uint64_t nanoseconds = end->monotonic_ns - start->monotonic_ns;

	return nanoseconds > 0 ? units * 1e9 / (double)nanoseconds : 0;
}

void counter_wait_calibrated(const counter_source *source, const counter_instant *start, counter_instant *now)
{
	do {
		counter_read_instant(source, now);
	} while (now->monotonic_ns - start->monotonic_ns < CALIBRATION_NANOSECONDS);
}

static uint64_t register_ticks_per_second(const counter_source *source, const counter_instant *start)
{
	counter_instant now;

	counter_wait_calibrated(source, start, &now);
	return (uint64_t)counter_frequency(source, start, &now);
}

int counter_is_monotonic_clock(const counter_source *source)
{
	return source->read == monotonic_nanoseconds;
}

void counter_init(counter_source *source, uint64_t (*read)(void *user), void *user, int whole_ticks,
		  counter_instant *start)
{
	*source = (counter_source){.read = read, .user = user};
	*start = (counter_instant){0};
	if (read != NULL)
		return;
	if (!register_is_steady())
		source->read = monotonic_nanoseconds;
	counter_read_instant(source, start);
	if (source->read != NULL || whole_ticks)
		return;
	for (uint64_t rate = register_ticks_per_second(source, start) / 2; rate >= 1000000000 / MAX_UNIT_NANOSECONDS;
	     rate /= 2)
		source->shift++;
	start->counter >>= source->shift;
}

void counter_set_resolution(counter_source *source, uint32_t nanoseconds, const counter_instant *start)
{
	uint64_t rate = 1000000000;

	if (nanoseconds == 0)
		return;
	if (source->read == NULL)
		rate = register_ticks_per_second(source, start);
	/* A unit of twice the length lasts 2 * 10^9 / rate nanoseconds. */
	for (; rate / 2 * nanoseconds >= 1000000000; rate /= 2)
		source->log_shift++;
}

void counter_describe(const counter_source *source, char *text, unsigned size)
{
	const unsigned long long divisor = 1ULL << (source->shift + source->log_shift);

	if (counter_is_monotonic_clock(source))
		snprintf(text, size,
			 divisor > 1 ? "monotonic clock, nanoseconds divided by %llu" : "monotonic clock, nanoseconds",
			 divisor);
	else if (source->read != NULL)
		snprintf(text, size, "given by the client");
	else
		snprintf(text, size, "machine ticks divided by %llu", divisor);
}

#define FIRST_NANOSECONDS UINT64_C(10000000)

/* The clock that runs while the system sleeps is ahead of the other one by this much more after it has slept. */
#define SLEEP_NANOSECONDS UINT64_C(1000000)

/* The frequency of a unit of the log whose counter has \p frequency. */
static double in_log(const counter_source *source, double frequency)
{
	return frequency / (double)(UINT64_C(1) << source->log_shift);
}

void counter_rate_begin(counter_rate *rate, const counter_source *source, double input, const counter_instant *now)
{
	rate->source = source;
	rate->due_ns = FIRST_NANOSECONDS;
	rate->is_measuring = 0;
	if (counter_is_monotonic_clock(source)) {
		rate->stated = in_log(source, 1e9);
	} else if (source->read != NULL) {
		rate->stated = in_log(source, input);
		rate->start = *now;
		rate->is_measuring = input == 0;
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
