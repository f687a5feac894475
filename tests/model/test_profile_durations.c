/* SPDX-License-Identifier: MIT */
/* How long single calls took: percentiles against sorted lists, the slowest calls, windows, and too little memory. */
#include "base/failing_allocator.h"
#include "profile_fixture.h"

#include <stdio.h>

#define CALLS 20000
#define SLOW_CALLS 10

static uint64_t next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static mprof_profile_options durations_wanted(void)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_durations = 1;
	options.slow_calls = SLOW_CALLS;
	return options;
}

static mprof_call_durations durations_of(const test_log *log, uint32_t method)
{
	mprof_call_durations durations;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_DURATIONS); i++) {
		memset(&durations, 0xff, sizeof(durations));
		durations.struct_size = sizeof(durations);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_DURATIONS, i, &durations), MPROF_OK);
		if (durations.method == method)
			return durations;
	}
	memset(&durations, 0, sizeof(durations));
	return durations;
}

static mprof_slow_call slow_call_of(const test_log *log, uint32_t method, size_t index)
{
	mprof_slow_call call;

	memset(&call, 0xff, sizeof(call));
	call.struct_size = sizeof(call);
	cr_assert_eq(mprof_profile_get_slow_call(log->profile, method, index, &call), MPROF_OK);
	return call;
}

/* Distributions: all the same, a range, many scales, two groups, few distinct values, and rare outliers. */
static uint64_t make_duration(uint32_t distribution, uint64_t *state)
{
	switch (distribution) {
	case 1:
		return 777;
	case 2:
		return next_number(state) % 10000;
	case 3:
		return UINT64_C(1) << next_number(state) % 25;
	case 4:
		return next_number(state) % 3 == 0 ? 900000 + next_number(state) % 100 : 50 + next_number(state) % 10;
	case 5:
		return next_number(state) % 4;
	default:
		return next_number(state) % 1000 == 0 ? 5000000 : 100 + next_number(state) % 50;
	}
}

static int compare_numbers(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void expect_close(uint64_t found, uint64_t exact, const char *what, uint32_t distribution)
{
	uint64_t difference = found > exact ? found - exact : exact - found;

	cr_expect(difference * 50 <= exact, "distribution %u, %s: %lu instead of %lu", distribution, what,
		  (unsigned long)found, (unsigned long)exact);
}

static void expect_percentiles(const test_log *log, uint32_t distribution, const uint64_t *sorted, uint64_t sum)
{
	static const double percents[] = {0, 0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
	mprof_call_durations found = durations_of(log, 1);

	cr_expect_eq(found.calls, CALLS);
	cr_expect_eq(found.left_out, 0);
	cr_expect_eq(found.min_ns, sorted[0]);
	cr_expect_eq(found.max_ns, sorted[CALLS - 1]);
	cr_expect_eq(found.sum_ns, sum);
	cr_expect_eq(found.average_ns, sum / CALLS);
	expect_close(found.p50_ns, sorted[CALLS / 2 - 1], "p50", distribution);
	expect_close(found.p90_ns, sorted[CALLS / 10 * 9 - 1], "p90", distribution);
	expect_close(found.p99_ns, sorted[CALLS / 100 * 99 - 1], "p99", distribution);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double exact_rank = percents[i] * CALLS / 100;
		size_t rank = (size_t)exact_rank;
		uint64_t duration;
		char what[32];

		rank += (double)rank < exact_rank;
		rank = rank > 0 ? rank : 1;
		snprintf(what, sizeof(what), "%g %%", percents[i]);
		cr_assert_eq(mprof_profile_get_percentile(log->profile, 1, percents[i], &duration), MPROF_OK);
		expect_close(duration, sorted[rank - 1], what, distribution);
	}
}

Test(profile_durations, percentiles_are_within_2_percent_of_the_exact_ones)
{
	static uint64_t durations[CALLS];

	for (uint32_t distribution = 1; distribution <= 6; distribution++) {
		mprof_profile_options options = durations_wanted();
		uint64_t state = distribution;
		uint64_t counter = 0;
		uint64_t sum = 0;
		test_log log;

		log_begin(&log);
		begin_block(&log, 7, 0);
		for (size_t i = 0; i < CALLS; i++) {
			durations[i] = make_duration(distribution, &state);
			sum += durations[i];
			enter(&log, 1, counter);
			leave(&log, 1, counter + durations[i]);
			counter += durations[i] + next_number(&state) % 100;
		}
		end_block(&log);
		log_profile_with(&log, &options);
		qsort(durations, CALLS, sizeof(durations[0]), compare_numbers);
		expect_percentiles(&log, distribution, durations, sum);
		EXPECT_METHOD(&log, 1, CALLS, sum, sum);
		log_release(&log);
	}
}

Test(profile_durations, slowest_calls_have_their_time_thread_and_call_path)
{
	mprof_profile_options options = durations_wanted();
	mprof_slow_call none = {.struct_size = sizeof(none)};
	test_log log;

	log_begin(&log);
	for (uint64_t thread = 7; thread <= 8; thread++) {
		begin_block(&log, thread, 0);
		enter(&log, (uint32_t)thread - 6, 1000);
		for (uint64_t i = 0; i < 100; i++) {
			enter(&log, 3, 2000 + 1000 * i);
			leave(&log, 3, 2000 + 1000 * i + (i * 37 + thread) % 100);
		}
		leave(&log, (uint32_t)thread - 6, 200000);
		end_block(&log);
	}
	log_profile_with(&log, &options);
	cr_expect_eq(durations_of(&log, 3).slow_calls, SLOW_CALLS);
	cr_expect_eq(durations_of(&log, 1).slow_calls, 1);
	for (size_t i = 0; i < SLOW_CALLS; i++) {
		/* Each duration occurs once in each thread; of equal ones the first in the log comes first. */
		uint64_t duration = 99 - i / 2;
		uint64_t thread = 7 + i % 2;
		mprof_slow_call call = slow_call_of(&log, 3, i);
		uint64_t number = 0;

		while ((number * 37 + thread) % 100 != duration)
			number++;
		cr_expect_eq(call.method, 3);
		cr_expect_eq(call.duration_ns, duration);
		cr_expect_eq(call.thread, thread);
		cr_expect_eq(call.start_ns, (int64_t)(2000 + 1000 * number));
		cr_expect_eq(call_at(&log, call.call).method, 3);
		cr_expect_eq(call_at(&log, call_at(&log, call.call).parent).method, thread - 6);
	}
	cr_expect_eq(mprof_profile_get_slow_call(log.profile, 3, SLOW_CALLS, &none), MPROF_ERR_ARGUMENT);
	log_release(&log);
}

Test(profile_durations, recursive_calls_count_and_only_the_outermost_is_a_slow_call)
{
	mprof_profile_options options = durations_wanted();
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	enter(&log, 1, 20);
	enter(&log, 1, 30);
	leave(&log, 1, 40);
	leave(&log, 1, 60);
	leave(&log, 2, 80);
	leave(&log, 1, 100);
	enter(&log, 1, 200);
	leave(&log, 1, 205);
	end_block(&log);
	log_profile_with(&log, &options);
	EXPECT_METHOD(&log, 1, 4, 105, 75);
	cr_expect_eq(durations_of(&log, 1).calls, 4);
	cr_expect_eq(durations_of(&log, 1).sum_ns, 100 + 40 + 10 + 5);
	cr_expect_eq(durations_of(&log, 1).slow_calls, 2);
	cr_expect_eq(slow_call_of(&log, 1, 0).duration_ns, 100);
	cr_expect_eq(slow_call_of(&log, 1, 1).duration_ns, 5);
	log_release(&log);
}

Test(profile_durations, only_calls_whose_end_is_known_count)
{
	mprof_profile_options options = durations_wanted();
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 0);
	enter(&log, 2, 10);
	enter(&log, 3, 20);
	/* The leave of m3 is missing: it ends with its caller. */
	leave(&log, 2, 50);
	leave(&log, 9, 60);
	enter(&log, 4, 70);
	add_value(&log, MPROF_EVENT_THREAD_END, 7, 80);
	enter(&log, 5, 90);
	end_block(&log);
	log_profile_with(&log, &options);
	cr_expect_eq(durations_of(&log, 2).sum_ns, 40);
	cr_expect_eq(durations_of(&log, 3).sum_ns, 30);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_DURATIONS), 2);
	cr_expect_eq(totals_of(&log).unclosed_frames, 3);
	log_release(&log);
}

Test(profile_durations, time_on_another_stack_is_not_part_of_a_call)
{
	mprof_profile_options options = durations_wanted();
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	enter(&log, 1, 100);
	add_value(&log, MPROF_EVENT_STACK_SWITCH, 5, 110);
	enter(&log, 2, 120);
	add_value(&log, MPROF_EVENT_STACK_SWITCH, 0, 160);
	add_value(&log, MPROF_EVENT_STACK_SWITCH, 5, 1010);
	leave(&log, 2, 1030);
	add_value(&log, MPROF_EVENT_STACK_SWITCH, 0, 1040);
	leave(&log, 1, 1060);
	end_block(&log);
	log_profile_with(&log, &options);
	cr_expect_eq(durations_of(&log, 2).max_ns, 40 + 20);
	cr_expect_eq(durations_of(&log, 1).max_ns, 10 + 850 + 20);
	cr_expect_eq(slow_call_of(&log, 2, 0).start_ns, 120);
	log_release(&log);
}

/* Random calls of several threads in many blocks, with frames that a leave further down closes. */
static void write_random(test_log *log, uint64_t seed, uint32_t max_depth)
{
	static uint32_t stack[4][64];
	uint32_t depth[4] = {0};
	uint64_t counter[4] = {0};
	uint64_t state = seed;

	log_begin(log);
	for (uint32_t block = 0; block < 40; block++) {
		uint32_t thread = block % 4;

		begin_block(log, 1 + thread, counter[thread]);
		for (uint32_t i = 0; i < 100; i++) {
			uint64_t choice = next_number(&state) % 16;

			counter[thread] += next_number(&state) % 40;
			if (depth[thread] < max_depth && (choice < 8 || depth[thread] == 0)) {
				stack[thread][depth[thread]] = 1 + (uint32_t)(next_number(&state) % DEFINED_IDS);
				enter(log, stack[thread][depth[thread]++], counter[thread]);
			} else if (choice == 15 && depth[thread] > 3) {
				depth[thread] -= 3;
				leave(log, stack[thread][depth[thread]], counter[thread]);
			} else if (depth[thread] > 0) {
				leave(log, stack[thread][--depth[thread]], counter[thread]);
			}
		}
		end_block(log);
	}
	log_close(log, 0);
}

Test(profile_durations, other_results_are_those_without_durations)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		mprof_profile_options options = durations_wanted();
		test_log plain;
		test_log timed;

		write_random(&plain, seed, 40);
		timed = plain;
		log_read(&plain, NULL);
		log_read(&timed, &options);
		expect_same_rows(MPROF_TABLE_METHODS, &plain, &timed);
		expect_same_rows(MPROF_TABLE_CALLS, &plain, &timed);
		cr_expect_eq(mprof_profile_get_row_count(plain.profile, MPROF_TABLE_DURATIONS), 0);
		log_forget_profile(&timed);
		log_release(&plain);
	}
}

Test(profile_durations, durations_without_a_call_tree_are_the_same)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		mprof_profile_options options = durations_wanted();
		test_log with;
		test_log without;

		write_random(&with, seed, 40);
		without = with;
		log_read(&with, &options);
		options.without_call_tree = 1;
		log_read(&without, &options);
		expect_same_rows(MPROF_TABLE_DURATIONS, &with, &without);
		log_forget_profile(&without);
		log_release(&with);
	}
}

Test(profile_durations, consecutive_windows_add_up)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		mprof_profile_options options = durations_wanted();
		uint64_t calls[DEFINED_IDS + 1] = {0};
		uint64_t sums[DEFINED_IDS + 1] = {0};
		test_log log;

		write_random(&log, seed, 40);
		for (uint64_t start = 0; start < 40000; start += 1000) {
			options.window_start_ns = (int64_t)start;
			options.window_end_ns = (int64_t)(start + 1000);
			log_read(&log, &options);
			for (uint32_t method = 1; method <= DEFINED_IDS; method++) {
				calls[method] += durations_of(&log, method).calls;
				sums[method] += durations_of(&log, method).sum_ns;
			}
			log_forget_profile(&log);
		}
		options.window_start_ns = 0;
		options.window_end_ns = 0;
		log_read(&log, &options);
		for (uint32_t method = 1; method <= DEFINED_IDS; method++) {
			cr_expect_eq(durations_of(&log, method).calls, calls[method]);
			cr_expect_eq(durations_of(&log, method).sum_ns, sums[method]);
		}
		log_release(&log);
	}
}

Test(profile_durations, a_choice_of_threads)
{
	mprof_profile_options options = durations_wanted();
	const uint64_t thread = 2;
	test_log log;

	write_random(&log, 3, 20);
	options.threads = &thread;
	options.thread_count = 1;
	log_read(&log, &options);
	for (uint32_t method = 1; method <= DEFINED_IDS; method++) {
		mprof_call_durations durations = durations_of(&log, method);

		cr_expect_leq(durations.calls, method_of(&log, method).calls);
		for (size_t i = 0; i < durations.slow_calls; i++)
			cr_expect_eq(slow_call_of(&log, method, i).thread, thread);
	}
	log_release(&log);
}

/* Calls that have no node in the tree because there was no memory are measured all the same, or counted as left out. */
Test(profile_durations, memory_that_is_limited_is_reported)
{
	test_log log;
	test_log full;
	mprof_profile_options options = durations_wanted();

	write_random(&log, 5, 40);
	full = log;
	log_read(&full, &options);
	for (options.max_memory = 400000; options.max_memory < 1500000; options.max_memory += 20000) {
		uint32_t is_different = 0;

		log_open(&log, &options);
		cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_OK);
		for (uint32_t method = 1; method <= DEFINED_IDS; method++) {
			mprof_call_durations limited = durations_of(&log, method);
			mprof_call_durations complete = durations_of(&full, method);

			cr_expect_leq(limited.calls, complete.calls);
			is_different |= limited.calls != complete.calls || limited.sum_ns != complete.sum_ns ||
					limited.p90_ns != complete.p90_ns || limited.slow_calls != complete.slow_calls;
		}
		cr_expect(!is_different || totals_of(&log).limited);
		log_forget_profile(&log);
	}
	log_forget_profile(&full);
	free(log.bytes);
}

Test(profile_durations, memory_that_the_allocator_refuses_is_an_error)
{
	mprof_status status = MPROF_ERR_MEMORY;
	size_t fail_at;
	test_log log;

	write_random(&log, 6, 12);
	for (fail_at = 1; status != MPROF_OK; fail_at++) {
		failing_allocator failing;
		mprof_allocator allocator = failing_allocator_interface(&failing);
		mprof_profile_options options = durations_wanted();

		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		failing.fail_once = (int)(fail_at % 2);
		options.allocator = &allocator;
		cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader), MPROF_OK);
		status = mprof_profile_create(&options, &log.profile);
		if (status == MPROF_OK)
			status = mprof_profile_read(log.profile, log.reader, NULL, NULL);
		cr_expect(status == MPROF_OK || status == MPROF_ERR_MEMORY);
		cr_expect_eq(status == MPROF_OK, failing.refused == 0);
		log_forget_profile(&log);
		cr_expect_eq(failing.blocks, 0);
	}
	cr_expect_gt(fail_at, 30);
	free(log.bytes);
}

Test(profile_durations, options_that_contradict_each_other_are_refused)
{
	mprof_profile_options options = durations_wanted();
	mprof_profile *profile;

	options.with_durations = 0;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	options.with_durations = 1;
	options.slow_calls = MPROF_SLOW_CALLS_MAX + 1;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	options.with_durations = 2;
	options.slow_calls = 0;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
}

Test(profile_durations, a_percentile_needs_a_part_of_known_calls)
{
	mprof_profile_options options = durations_wanted();
	uint64_t duration;
	test_log log;

	write_random(&log, 1, 10);
	log_read(&log, &options);
	cr_expect_eq(mprof_profile_get_percentile(log.profile, 1, 50, &duration), MPROF_OK);
	cr_expect_eq(mprof_profile_get_percentile(log.profile, 1, -1, &duration), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_percentile(log.profile, 1, 100.1, &duration), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_percentile(log.profile, 1, 0.0 / 0.0, &duration), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_percentile(log.profile, 1, 50, NULL), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_percentile(log.profile, 77, 50, &duration), MPROF_ERR_ARGUMENT);
	log_release(&log);
}
