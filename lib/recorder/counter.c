/* SPDX-License-Identifier: MIT */
/* Chooses the counter that times events, and measures its rate. */
#include "recorder/counter.h"

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
#define LONGEST_UNIT_NANOSECONDS 17

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

/* The register and the clock at one time. */
typedef struct instant {
	uint64_t ticks;
	uint64_t time;
} instant;

/*
 * The first reading of the clock may take microseconds, and the thread may be interrupted between the readings. Hence
 * the closest of several is taken: an error of a tenth would make a unit of another length.
 */
static instant read_instant(void)
{
	instant closest = {0, 0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = counter_read_register();
		uint64_t time = monotonic_nanoseconds(NULL);
		uint64_t between = counter_read_register() - before;

		if (between < shortest) {
			shortest = between;
			closest = (instant){before + between / 2, time};
		}
	}
	return closest;
}

static uint64_t register_ticks_per_second(void)
{
	instant start = read_instant();
	instant end;

	do {
		end = read_instant();
	} while (end.time - start.time < CALIBRATION_NANOSECONDS);
	return (uint64_t)((double)(end.ticks - start.ticks) * 1e9 / (double)(end.time - start.time));
}

void counter_init(counter_source *source, uint64_t (*read)(void *user), void *user, int whole_ticks)
{
	source->read = read;
	source->user = user;
	source->shift = 0;
	source->log_shift = 0;
	if (read != NULL)
		return;
	if (!register_is_steady()) {
		source->read = monotonic_nanoseconds;
		return;
	}
	if (whole_ticks)
		return;
	for (uint64_t rate = register_ticks_per_second() / 2; rate >= 1000000000 / LONGEST_UNIT_NANOSECONDS; rate /= 2)
		source->shift++;
}

void counter_set_resolution(counter_source *source, uint32_t nanoseconds)
{
	uint64_t rate = 1000000000;

	if (nanoseconds == 0)
		return;
	if (source->read == NULL)
		rate = register_ticks_per_second() >> source->shift;
	/* A unit of twice the length lasts 2 * 10^9 / rate nanoseconds. */
	for (; rate / 2 * nanoseconds >= 1000000000; rate /= 2)
		source->log_shift++;
}

void counter_describe(const counter_source *source, char *text, unsigned size)
{
	const unsigned long long divisor = 1ULL << (source->shift + source->log_shift);

	if (source->read == monotonic_nanoseconds)
		snprintf(text, size,
			 divisor > 1 ? "monotonic clock, nanoseconds divided by %llu" : "monotonic clock, nanoseconds",
			 divisor);
	else if (source->read != NULL)
		snprintf(text, size, "given by the client");
	else
		snprintf(text, size, "machine ticks divided by %llu", divisor);
}
