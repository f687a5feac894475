/* SPDX-License-Identifier: MIT */
/* With too little memory for all call paths and call sites, totals and metrics of methods and classes are the same. */
#include "base/failing_allocator.h"
#include "base/memory_budget.h"
#include "profile_fixture.h"

#define ROUNDS 400
#define MAX_DEPTH 12

/* A small pseudo-random generator, so that paths are varied and the same in each run. */
static uint32_t next_number(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/*
 * Random calls, including recursion and frames that are left by the leave of another one. The stack is never quite
 * empty at the end.
 */
static void write_calls(test_log *log, uint64_t thread, uint64_t start, uint32_t seed, uint32_t *stack, uint32_t *depth)
{
	const mprof_event_detail object = {
		.struct_size = sizeof(mprof_event_detail), .object = 0x1000 * thread, .stack = 3};
	uint64_t counter = start;
	uint32_t state = seed;

	begin_block(log, thread, counter);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t choice = next_number(&state) % 8;

		counter += 1 + next_number(&state) % 50;
		if (*depth < MAX_DEPTH && (choice < 4 || *depth == 0)) {
			stack[*depth] = 1 + next_number(&state) % DEFINED_IDS;
			enter(log, stack[(*depth)++], counter);
		} else if (choice < 6 && *depth > 0) {
			leave(log, stack[--*depth], counter);
		} else if (choice == 6 && *depth > 2) {
			*depth -= 2;
			leave(log, stack[*depth], counter);
		} else {
			add_detailed(log, MPROF_EVENT_ALLOCATION, 1 + next_number(&state) % DEFINED_IDS, 0, 8 + i,
				     &object);
		}
		if (i % 50 == 7)
			add_detailed(log, MPROF_EVENT_MONITOR, 2, counter + 1, MPROF_MONITOR_CONTENDED, &object);
		if (i % 50 == 7)
			add_detailed(log, MPROF_EVENT_MONITOR, 2, counter += 5, MPROF_MONITOR_ACQUIRED, &object);
		if (i % 60 == 9)
			add(log, MPROF_EVENT_METHOD_JIT_START, 4, counter += 5);
		if (i % 60 == 9)
			add(log, MPROF_EVENT_METHOD_JIT_END, 4, counter += 5);
	}
	end_block(log);
}

/* A call stack for each method, called by the stack of another one. */
static void write_samples(test_log *log, uint32_t seed)
{
	mprof_record stacks[200];
	mprof_event samples[300];
	uint32_t state = seed;

	memset(stacks, 0, sizeof(stacks));
	for (uint32_t i = 0; i < 200; i++) {
		stacks[i] = (mprof_record)STACK_OF_METHOD(i + 1, i < 10 ? 0 : next_number(&state) % i + 1,
							  1 + next_number(&state) % DEFINED_IDS);
	}
	write_records(log, MPROF_BLOCK_STACKS, 0, stacks, 200);
	memset(samples, 0, sizeof(samples));
	for (size_t i = 0; i < 300; i++) {
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].counter = SESSION_START + 10 * i;
		samples[i].value = 1 + next_number(&state) % 200;
	}
	cr_assert_eq(mprof_writer_write_samples(log->writer, 9, SESSION_START, samples, 300), MPROF_OK);
}

static void write_log(test_log *log)
{
	uint32_t stacks[2][MAX_DEPTH];
	uint32_t depths[2] = {0, 0};

	log_begin(log);
	write_samples(log, 5);
	for (uint32_t block = 0; block < 8; block++)
		write_calls(log, 7 + block % 2, 30000 * block, block + 1, stacks[block % 2], &depths[block % 2]);
	log_close(log, 0);
}

static void read_with_limit(test_log *log, mprof_profile_options options, uint64_t limit)
{
	options.max_memory = limit;
	log_read(log, &options);
}

static void expect_same_totals(const test_log *all, const test_log *limited)
{
	mprof_profile_totals wanted = totals_of(all);
	mprof_profile_totals found = totals_of(limited);

	found.limited = 0;
	found.folded_calls = found.folded_samples = found.folded_sites = 0;
	cr_assert_arr_eq(&found, &wanted, sizeof(found));
	for (uint32_t id = 1; id <= DEFINED_IDS; id++) {
		mprof_method_stats wanted_method = method_of(all, id);
		mprof_method_stats found_method = method_of(limited, id);
		mprof_class_stats wanted_class = class_of(all, id);
		mprof_class_stats found_class = class_of(limited, id);

		cr_assert_arr_eq(&found_method, &wanted_method, sizeof(wanted_method),
				 "method %u: %lu %lu %lu, not %lu %lu %lu", id, (unsigned long)found_method.calls,
				 (unsigned long)found_method.total_ns, (unsigned long)found_method.self_ns,
				 (unsigned long)wanted_method.calls, (unsigned long)wanted_method.total_ns,
				 (unsigned long)wanted_method.self_ns);
		cr_assert_arr_eq(&found_class, &wanted_class, sizeof(wanted_class), "class %u", id);
	}
	for (uint64_t thread = 7; thread <= 9; thread++) {
		cr_assert_eq(thread_of(limited, thread).self_ns, thread_of(all, thread).self_ns);
		cr_assert_eq(thread_of(limited, thread).events, thread_of(all, thread).events);
	}
	cr_assert_eq(mprof_profile_get_row_count(limited->profile, MPROF_TABLE_MONITORS),
		     mprof_profile_get_row_count(all->profile, MPROF_TABLE_MONITORS));
	cr_assert_eq(call_at(limited, MPROF_CALL_ROOT).total_ns, call_at(all, MPROF_CALL_ROOT).total_ns);
}

static void expect_same_at_all_limits(mprof_profile_options options)
{
	test_log all;
	test_log limited;
	size_t same = 0;
	size_t lacking = 0;
	int is_limited = 1;

	write_log(&all);
	limited = all;
	read_with_limit(&all, options, 0);
	cr_assert_eq(totals_of(&all).limited, 0);
	for (uint64_t limit = 8192; is_limited; limit += limit / 16) {
		mprof_profile_totals totals;

		read_with_limit(&limited, options, limit);
		totals = totals_of(&limited);
		is_limited = totals.limited != 0;
		if (totals.left_out == 0) {
			expect_same_totals(&all, &limited);
			same += totals.folded_calls > 0 && totals.folded_samples > 0 && totals.folded_sites > 0;
		}
		lacking += totals.left_out > 0;
		log_forget_profile(&limited);
	}
	cr_expect_gt(same, 3);
	cr_expect_gt(lacking, 0);
	log_release(&all);
}

Test(profile_limit, totals_and_methods_stay_the_same)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	expect_same_at_all_limits(options);
}

/* The tree has no compilations inside of folded calls, and fewer call sites. */
Test(profile_limit, with_call_sites)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_call_sites = 1;
	options.with_monitor_objects = 1;
	expect_same_at_all_limits(options);
}

/* In the tree, the time of calls that have no node is attributed to the caller that has one. */
Test(profile_limit, the_tree_holds_all_time)
{
	mprof_profile_options options;
	uint64_t self = 0;
	test_log log;

	write_log(&log);
	mprof_profile_options_init(&options, sizeof(options));
	read_with_limit(&log, options, 100000);
	cr_assert_gt(totals_of(&log).folded_calls, 0);
	cr_assert_gt(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CALLS), 20);
	for (uint32_t node = 0; node < mprof_profile_get_row_count(log.profile, MPROF_TABLE_CALLS); node++) {
		mprof_call_stats stats = call_at(&log, node);

		self += stats.self_ns;
		for (uint32_t child = stats.first_child; child != 0; child = call_at(&log, child).next_sibling)
			stats.total_ns -= call_at(&log, child).total_ns;
		cr_expect_eq(stats.total_ns, stats.self_ns);
	}
	cr_expect_eq(self, totals_of(&log).method_ns);
	cr_expect_eq(call_at(&log, MPROF_CALL_ROOT).total_ns, self);
	log_release(&log);
}

/* A section name that does not fit the limit leaves the metric out, though the name of the metric would fit. */
Test(profile_limit, of_two_texts_one_may_be_too_long)
{
	static char section[3000];
	mprof_profile_options options;
	mprof_profile_totals totals = {.limited = 1};
	size_t lacking = 0;
	test_log log;

	memset(section, 's', sizeof(section) - 1);
	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_METRICS, 0,
		      {.kind = MPROF_RECORD_METRIC, .id = 1, .as.metric.section = section, .as.metric.name = "name"});
	log_close(&log, 0);
	mprof_profile_options_init(&options, sizeof(options));
	for (options.max_memory = 1024; totals.limited; options.max_memory += 64) {
		cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &log.reader), MPROF_OK);
		if (mprof_profile_create(&options, &log.profile) == MPROF_OK) {
			cr_assert_eq(mprof_profile_read(log.profile, log.reader, NULL, NULL), MPROF_OK,
				     "with %llu bytes", (unsigned long long)options.max_memory);
			totals = totals_of(&log);
			cr_assert_eq(totals.limited, totals.left_out);
			lacking += totals.left_out;
		}
		log_forget_profile(&log);
	}
	cr_expect_gt(lacking, 10);
	log_release(&log);
}

/* The reason of a refusal stays the same when later requests are granted. */
Test(profile_limit, is_the_reason_until_memory_is_refused)
{
	failing_allocator failing = {.fail_at = 2};
	const mprof_allocator source = failing_allocator_interface(&failing);
	memory_budget budget;
	void *memory;

	memory_budget_init(&budget, &source, 1000);
	cr_assert_null(allocator_allocate(&budget.allocator, 1001));
	cr_expect(memory_budget_is_exceeded(&budget));
	memory = allocator_allocate(&budget.allocator, 10);
	cr_assert_not_null(memory);
	cr_expect(memory_budget_is_exceeded(&budget));
	cr_assert_null(allocator_allocate(&budget.allocator, 10));
	cr_expect_not(memory_budget_is_exceeded(&budget));
	allocator_release(&budget.allocator, memory, 10);
}
