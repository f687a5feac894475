/* SPDX-License-Identifier: MIT */
/* Counters as times: the unit follows from CLOCKs in any order and of any size. */
#include "reader/time_scale.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static time_scale scale_of(uint64_t first_counter, uint64_t first_time, uint64_t last_counter, uint64_t last_time)
{
	const mprof_clock first = {first_counter, first_time};
	const mprof_clock last = {last_counter, last_time};
	time_scale scale;

	memset(&scale, 0, sizeof(scale));
	time_scale_add(&scale, &first);
	time_scale_add(&scale, &last);
	return scale;
}

static int64_t convert(const time_scale *scale, uint64_t counter)
{
	int64_t nanoseconds;

	cr_assert_eq(time_scale_convert(scale, counter, &nanoseconds), 1);
	return nanoseconds;
}

Test(time_scale, unknown)
{
	const mprof_clock clock = {100, 200};
	time_scale scale;
	int64_t nanoseconds;

	memset(&scale, 0, sizeof(scale));
	cr_assert_eq(time_scale_convert(&scale, 77, &nanoseconds), 0);
	cr_assert_eq(nanoseconds, 77);
	time_scale_add(&scale, &clock);
	time_scale_add(&scale, &clock);
	cr_assert_eq(time_scale_convert(&scale, 90, &nanoseconds), 0);
	cr_assert_eq(nanoseconds, -10);
	cr_assert_eq(time_scale_counters_per_second(&scale), 0);
	scale = scale_of(100, 200, 300, 200);
	cr_assert_eq(time_scale_convert(&scale, 150, &nanoseconds), 0, "the wall clock stood still");
	cr_assert_eq(nanoseconds, 50);
	scale = scale_of(100, 200, 300, 100);
	cr_assert_eq(time_scale_convert(&scale, 150, &nanoseconds), 0, "the wall clock went back");
}

Test(time_scale, units)
{
	time_scale microseconds = scale_of(1000000, 1200000000000000, 3000000, 1200000002000000);
	time_scale ticks = scale_of(500, 0, 500 + UINT64_C(3000000000), 1000000);

	cr_assert_eq(convert(&microseconds, 1000000), 0);
	cr_assert_eq(convert(&microseconds, 1000001), 1000);
	cr_assert_eq(convert(&microseconds, 999999), -1000);
	cr_assert_eq(convert(&microseconds, 100000000), INT64_C(99000000000), "after the last CLOCK");
	cr_assert_eq(time_scale_counters_per_second(&microseconds), 1e6);
	cr_assert_eq(convert(&ticks, 500 + 3), 1);
	cr_assert_eq(convert(&ticks, 500 + UINT64_C(3000000000)), 1000000000);
	cr_assert_eq(time_scale_counters_per_second(&ticks), 3e9);
}

Test(time_scale, any_order)
{
	time_scale scale = scale_of(1000, 10, 5000, 14);
	const mprof_clock middle = {3000, 12};
	const mprof_clock before = {500, 9};

	time_scale_add(&scale, &middle);
	time_scale_add(&scale, &before);
	cr_assert_eq(scale.last.counter, 5000);
	cr_assert_eq(convert(&scale, 2000), 1000);
}

/* A counter that wraps around between the CLOCKs. */
Test(time_scale, modulo)
{
	time_scale scale = scale_of(UINT64_MAX - 999, 0, 1000, 2);

	cr_assert_eq(convert(&scale, UINT64_MAX), 999);
	cr_assert_eq(convert(&scale, 0), 1000);
	cr_assert_eq(convert(&scale, 500), 1500);
	cr_assert_eq(convert(&scale, UINT64_MAX - 1999), -1000);
}

Test(time_scale, largest)
{
	time_scale fast = scale_of(0, 0, INT64_MAX, UINT64_MAX);
	time_scale slow = scale_of(0, 0, 1, UINT64_MAX);

	cr_assert_eq(convert(&fast, 0), 0);
	cr_assert_eq(convert(&fast, INT64_MAX), INT64_MAX);
	cr_assert_eq(convert(&slow, 1), INT64_MAX);
	cr_assert_eq(convert(&slow, UINT64_MAX), INT64_MIN);
}

/* A year of nanoseconds: errors stay below the unit of the wall clock, and the order is kept. */
Test(time_scale, long_log)
{
	const uint64_t year = UINT64_C(31536000) * 1000000000;
	time_scale scale = scale_of(12345, 1200000000000000, 12345 + year, 1200000000000000 + year / 1000);
	int64_t last = -1;

	for (uint64_t i = 0; i <= 1000; i++) {
		uint64_t difference = year / 1000 * i + i * i;
		int64_t converted = convert(&scale, 12345 + difference);

		cr_assert_lt(llabs(converted - (int64_t)difference), 100);
		cr_assert_gt(converted, last);
		last = converted;
	}
}

#define SECOND UINT64_C(1000000)
#define START (UINT64_C(1700000000) * SECOND)

/* Ten clock pairs, one per second of a counter in milliseconds; the wall clock is set before the one of \p step_at. */
static time_scale scale_with_step(int step_at, int64_t step, int is_reversed, double stated)
{
	time_scale scale;

	memset(&scale, 0, sizeof(scale));
	for (int i = 0; i < 10; i++) {
		const int at = is_reversed && i > 0 ? 10 - i : i;
		const uint64_t set = at >= step_at ? (uint64_t)step : 0;
		const mprof_clock clock = {5000 + (uint64_t)at * 1000, START + (uint64_t)at * SECOND + set};

		time_scale_add(&scale, &clock);
	}
	if (stated > 0)
		time_scale_state(&scale, stated, 1);
	return scale;
}

static void expect_step(const time_scale *scale, uint32_t steps, int64_t amount)
{
	cr_assert_eq(scale->steps, steps);
	cr_assert_eq(scale->step_amount, amount);
	cr_assert_eq(time_scale_counters_per_second(scale), 1000);
	cr_assert_eq(time_scale_duration(scale), UINT64_C(9000000000));
	cr_assert_eq(convert(scale, 7000), INT64_C(2000000000));
}

Test(time_scale, a_step_of_the_wall_clock_changes_no_duration)
{
	static const int64_t steps[] = {INT64_C(3600000000), -3000000, -INT64_C(3600000000), 200000};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		for (int at = 1; at < 10; at++) {
			for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
				const time_scale scale = scale_with_step(at, steps[i], is_reversed, 0);

				expect_step(&scale, 1, steps[i]);
			}
		}
	}
}

Test(time_scale, a_clock_that_is_read_late_is_no_step)
{
	const time_scale scale = scale_with_step(9, 50000, 0, 0);

	cr_assert_eq(scale.steps, 0);
	cr_assert_eq(scale.step_amount, 0);
}

Test(time_scale, a_stated_frequency_needs_no_wall_clock)
{
	const mprof_clock first = {5000, START};
	const mprof_clock last = {14000, START - 50 * SECOND};
	const time_scale many = scale_with_step(5, 7200 * (int64_t)SECOND, 0, 1000);
	time_scale two = {0};

	expect_step(&many, 1, 7200 * (int64_t)SECOND);
	time_scale_add(&two, &first);
	time_scale_state(&two, 1000, 10);
	cr_assert_eq(convert(&two, 6000), INT64_C(1000000000), "before a second clock pair");
	time_scale_add(&two, &last);
	expect_step(&two, 1, -59 * (int64_t)SECOND);
	/* The last one in the log applies, whichever is read first. */
	time_scale_state(&two, 2000, 20);
	time_scale_state(&two, 3000, 15);
	cr_assert_eq(time_scale_counters_per_second(&two), 2000);
}

/* More clock pairs than are kept. */
Test(time_scale, a_step_in_a_long_log)
{
	time_scale scale = {0};

	for (uint64_t i = 0; i < 100000; i++) {
		const mprof_clock clock = {i * 10, i * 10000 + (i >= 70000 ? 600 * SECOND : 0)};

		time_scale_add(&scale, &clock);
	}
	cr_assert_eq(scale.steps, 1);
	cr_assert_eq(scale.step_amount, 600 * (int64_t)SECOND);
	cr_assert_eq(time_scale_duration(&scale), UINT64_C(999990000000));
}
