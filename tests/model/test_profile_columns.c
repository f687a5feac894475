/* SPDX-License-Identifier: MIT */
/* A profile of events in columns, which are added without structs, is that of the same events in rows. */
#include "base/failing_allocator.h"
#include "model/profile_fixture.h"
#include "model/random_rows.h"

#define LOGS 30
#define BLOCKS 12
#define BLOCK_EVENTS 400
#define UNTIMED_EVENTS 1500
#define THREADS 3
#define STACKS 2

static uint64_t random_state;

static void add_allocation(test_log *log, uint32_t id, uint64_t counter)
{
	const mprof_event_detail detail = {.struct_size = sizeof(detail),
					   .caller = random_below(&random_state, 3),
					   .stack = random_below(&random_state, STACKS + 1)};

	add_detailed(log, MPROF_EVENT_ALLOCATION, id, counter, 8 * random_below(&random_state, 20),
		     random_below(&random_state, 2) ? &detail : NULL);
}

static void add_random(test_log *log, uint64_t thread, uint64_t counter)
{
	const uint32_t id = 1 + random_below(&random_state, DEFINED_IDS);

	switch (random_below(&random_state, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
	case 4:
		enter(log, id, counter);
		break;
	case 5:
	case 6:
	case 7:
	case 8:
		add(log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, counter);
		break;
	case 9:
	case 10:
		leave(log, id, counter);
		break;
	case 11:
		random_below(&random_state, 4) ? (void)0
					       : add_random_row(log, &random_state, RANDOM_ROW_KINDS, thread, counter);
		break;
	default:
		add_allocation(log, id, counter);
	}
}

/* Blocks at random times: the clock of a thread jumps back from one to the next, and also inside of some. */
static void write_random(test_log *log, uint64_t seed, int has_columns)
{
	random_state = seed;
	log_begin_in(log, MPROF_DIALECT_MPROF2, 1000, has_columns);
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2));
	for (int block = 0; block < BLOCKS; block++) {
		const uint64_t thread = 7 + random_below(&random_state, THREADS);
		uint64_t counter = 1000 + random_below(&random_state, 9000);

		begin_block(log, thread, counter);
		/* At the start of a thread: more events without a time of their own than a batch of structs has. */
		for (int event = 0; block == 0 && event < UNTIMED_EVENTS; event++)
			add_allocation(log, 1, counter);
		for (int event = 0; event < BLOCK_EVENTS; event++) {
			counter += random_below(&random_state, 9);
			if (block % 4 == 0 && random_below(&random_state, 50) == 0)
				counter -= 100;
			add_random(log, thread, counter);
		}
		end_block(log);
	}
	log_close(log, 0);
}

/* Allocations have the time of the event before them in both layouts, so the logs have equal events. */
static void compare(const mprof_profile_options *options, uint32_t reading_threads)
{
	for (uint64_t seed = 1; seed <= LOGS; seed++) {
		mprof_reader_options reading;
		test_log rows;
		test_log columns;

		write_random(&rows, seed, 0);
		write_random(&columns, seed, 1);
		log_read(&rows, options);
		mprof_reader_options_init(&reading, sizeof(reading));
		reading.threads = reading_threads;
		cr_assert_eq(mprof_reader_open_memory(columns.bytes, columns.length, &reading, &columns.reader),
			     MPROF_OK);
		cr_assert_eq(mprof_profile_create(options, &columns.profile), MPROF_OK);
		cr_assert_eq(mprof_profile_read(columns.profile, columns.reader, NULL, NULL), MPROF_OK);
		expect_same_results(&rows, &columns);
		expect_same_rows(MPROF_TABLE_DURATIONS, &rows, &columns);
		cr_expect_gt(totals_of(&rows).events, BLOCK_EVENTS / 2);
		log_release(&rows);
		log_release(&columns);
	}
}

Test(profile_columns, results_are_those_of_rows)
{
	compare(NULL, 1);
	compare(NULL, 2);
}

Test(profile_columns, results_with_all_options_are_those_of_rows)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_call_sites = 1;
	options.with_compilations = 1;
	options.with_durations = 1;
	options.slow_calls = 2;
	compare(&options, 1);
	options.max_stack_depth = 3;
	compare(&options, 1);
	options.with_call_sites = 0;
	options.with_compilations = 0;
	options.without_call_tree = 1;
	compare(&options, 1);
}

/* For these the events are fetched as structs. */
Test(profile_columns, results_in_a_window_are_those_of_rows)
{
	mprof_profile_options options;
	const uint64_t thread = 8;

	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = 3000;
	options.window_end_ns = 8000;
	compare(&options, 1);
	mprof_profile_options_init(&options, sizeof(options));
	options.timeline_slices = 10;
	compare(&options, 1);
	mprof_profile_options_init(&options, sizeof(options));
	options.threads = &thread;
	options.thread_count = 1;
	compare(&options, 1);
}

/* The memory of the profile, and then that of the reader, is refused from each request on, or once. */
static void refuse(int is_reader, int fail_once)
{
	failing_allocator failing;
	mprof_allocator allocator = failing_allocator_interface(&failing);
	mprof_profile_options options;
	mprof_reader_options reading;
	mprof_status status = MPROF_ERR_MEMORY;
	uint64_t events = 0;
	test_log log;

	write_random(&log, 1, 1);
	log_read(&log, NULL);
	events = totals_of(&log).events;
	log_forget_profile(&log);
	mprof_profile_options_init(&options, sizeof(options));
	mprof_reader_options_init(&reading, sizeof(reading));
	if (is_reader)
		reading.allocator = &allocator;
	else
		options.allocator = &allocator;
	for (size_t fail_at = 1; status != MPROF_OK; fail_at++) {
		cr_assert_lt(fail_at, 1000);
		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		failing.fail_once = fail_once;
		status = mprof_reader_open_memory(log.bytes, log.length, &reading, &log.reader);
		if (status == MPROF_OK)
			status = mprof_profile_create(&options, &log.profile);
		if (status == MPROF_OK)
			status = mprof_profile_read(log.profile, log.reader, NULL, NULL);
		cr_expect(status == MPROF_OK || status == MPROF_ERR_MEMORY, "%d", status);
		cr_expect(status != MPROF_OK || totals_of(&log).events == events);
		log_forget_profile(&log);
		cr_expect_eq(failing.blocks, 0);
	}
	log_release(&log);
}

Test(profile_columns, refused_memory_is_reported)
{
	refuse(0, 0);
	refuse(0, 1);
	refuse(1, 0);
	refuse(1, 1);
}
