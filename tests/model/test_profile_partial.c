/* SPDX-License-Identifier: MIT */
/* Parts of a profile that other threads compute are what the events add one by one. */
#include "base/failing_allocator.h"
#include "model/profile/profile_internal.h"
#include "model/profile_fixture.h"
#include "model/random_rows.h"

#include <stdlib.h>

#define BLOCKS 12
#define BLOCK_EVENTS 6000
#define THREADS 2
#define METHODS 40
#define SIZED_CLASSES 200
#define STACKS 2

TestSuite(profile_partial, .timeout = 120);

/* How often the events of a log are of a kind, in 1,000. The rest are leaves of the method on top. */
typedef struct event_mix {
	uint32_t enters;
	uint32_t allocations;
	uint32_t rows;       /* Events that are no calls and no allocations. */
	uint32_t mismatches; /* Leaves of a method that may not be on top. */
	uint32_t jumps;      /* Times that go back. */
	uint32_t methods;
	uint32_t row_kinds; /* See add_random_row(). */
} event_mix;

/* How events are stored. */
typedef struct layout {
	int has_columns;
	uint32_t codec;
} layout;

static const layout layouts[] = {{0, MPROF_CODEC_NONE}, {1, MPROF_CODEC_NONE}, {1, MPROF_CODEC_DEFLATE}};

#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* Calls that repeat, as in most programs; then what keeps blocks from being added as a whole, more or less often. */
static const event_mix steady = {430, 160, 0, 0, 0, 6, 1};
static const event_mix few_rows = {430, 160, 2, 0, 0, 6, RANDOM_ROWS_WITHOUT_CALLS};
static const event_mix many_rows = {420, 100, 60, 20, 0, METHODS, RANDOM_ROW_KINDS};
static const event_mix jumping = {430, 160, 1, 0, 10, 6, RANDOM_ROW_KINDS};
static const event_mix deep = {520, 100, 1, 0, 0, 4, RANDOM_ROW_KINDS};
static const event_mix many_paths = {600, 10, 0, 0, 0, METHODS, 1};

static uint64_t random_state;

static void begin_log(test_log *log, const layout *mode)
{
	mprof_writer_options options;

	memset(log, 0, sizeof(*log));
	log->counter = SESSION_START;
	log->counters_per_microsecond = 1000;
	mprof_writer_options_init(&options, sizeof(options));
	options.has_columns = (uint32_t)mode->has_columns;
	options.codec = mode->codec;
	options.clock = test_clock;
	options.clock_user = log;
	options.allow_undefined_ids = 1;
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE);
	cr_assert_eq(mprof_writer_open_memory(&options, &log->writer), MPROF_OK);
	define_names(log->writer);
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2));
}

/* Every other class has a size of its own. */
static void define_sized_class(test_log *log, uint32_t number)
{
	const mprof_class_definition definition = {.struct_size = sizeof(definition),
						   .id = DEFINED_IDS + number,
						   .name = "sized",
						   .name_length = 5,
						   .size = number % 2 * 24};

	cr_assert_eq(mprof_writer_define_class(log->writer, &definition), MPROF_OK);
}

static void add_allocation(test_log *log, uint32_t sized_classes, uint64_t counter)
{
	const mprof_event_detail detail = {.struct_size = sizeof(detail),
					   .caller = random_below(&random_state, 3),
					   .stack = random_below(&random_state, STACKS + 1)};
	const uint32_t id = 1 + random_below(&random_state, DEFINED_IDS + sized_classes);
	const uint32_t number = id > DEFINED_IDS ? id - DEFINED_IDS : 0;

	add_detailed(log, MPROF_EVENT_ALLOCATION, id, counter,
		     number % 2 != 0 ? 24 : 8 * random_below(&random_state, 20),
		     random_below(&random_state, 2) != 0 ? &detail : NULL);
}

static void add_event(test_log *log, const event_mix *mix, uint64_t thread, uint32_t sized_classes, uint64_t counter)
{
	uint32_t choice = random_below(&random_state, 1000);

	if (choice < mix->enters) {
		enter(log, 1 + random_below(&random_state, mix->methods), counter);
	} else if ((choice -= mix->enters) < mix->allocations) {
		add_allocation(log, sized_classes, counter);
	} else if ((choice -= mix->allocations) < mix->rows) {
		add_random_row(log, &random_state, mix->row_kinds, thread, counter);
	} else if ((choice -= mix->rows) < mix->mismatches) {
		leave(log, 1 + random_below(&random_state, mix->methods), counter);
	} else {
		add(log, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, counter);
	}
}

/* Writes blocks of threads, with definitions of classes between them. */
static void write_log(test_log *log, const event_mix *mix, const layout *mode, uint64_t seed)
{
	uint32_t sized_classes = 0;
	uint64_t counter = 1000;

	random_state = seed;
	begin_log(log, mode);
	for (int block = 0; block < BLOCKS; block++) {
		const uint64_t thread = 7 + random_below(&random_state, THREADS);

		for (int i = 0; i < SIZED_CLASSES / BLOCKS; i++)
			define_sized_class(log, ++sized_classes);
		begin_block(log, thread, counter);
		for (int event = 0; event < BLOCK_EVENTS; event++) {
			counter += random_below(&random_state, 9);
			if (random_below(&random_state, 1000) < mix->jumps)
				counter -= counter > 500 ? random_below(&random_state, 500) : 0;
			add_event(log, mix, thread, sized_classes, counter);
		}
		end_block(log);
	}
	log_close(log, 0);
}

static void read_with(test_log *log, const mprof_profile_options *options, uint32_t threads)
{
	mprof_reader_options reading;

	mprof_reader_options_init(&reading, sizeof(reading));
	reading.threads = threads;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, &reading, &log->reader), MPROF_OK);
	cr_assert_eq(mprof_profile_create(options, &log->profile), MPROF_OK);
	cr_assert_eq(mprof_profile_read(log->profile, log->reader, NULL, NULL), MPROF_OK);
}

/* Compares one thread with several. Returns how many parts were added as a whole, in all. */
static uint64_t compare(const event_mix *mix, const mprof_profile_options *options)
{
	uint64_t used = 0;

	for (size_t i = 0; i < 2 * LAYOUTS; i++) {
		test_log log;
		test_log threaded;

		write_log(&log, mix, &layouts[i / 2], i + 1);
		threaded = log;
		read_with(&log, options, 1);
		cr_expect_eq(log.profile->partials.used, 0);
		for (uint32_t threads = 2; threads <= 4; threads++) {
			read_with(&threaded, options, threads);
			expect_same_results(&log, &threaded);
			used += threaded.profile->partials.used;
			log_forget_profile(&threaded);
		}
		log_release(&log);
	}
	return used;
}

/* The threads may be slow to begin, so that only some parts are theirs. */
Test(profile_partial, steady_calls_are_added_as_parts)
{
	cr_expect_gt(compare(&steady, NULL), 0);
}

Test(profile_partial, few_other_events_are_between_the_runs)
{
	cr_expect_gt(compare(&few_rows, NULL), 0);
}

Test(profile_partial, many_other_events_are_added_one_by_one)
{
	(void)compare(&many_rows, NULL);
}

Test(profile_partial, time_that_goes_back_stands_still)
{
	(void)compare(&jumping, NULL);
}

Test(profile_partial, calls_above_the_maximum_depth_are_folded)
{
	mprof_profile_options options;

	(void)compare(&deep, NULL);
	mprof_profile_options_init(&options, sizeof(options));
	options.max_stack_depth = 100;
	(void)compare(&deep, &options);
}

/* A block has more paths than a part has room for. */
Test(profile_partial, many_paths_are_added_one_by_one)
{
	(void)compare(&many_paths, NULL);
}

/* What is left out when memory is limited depends on the order of the events. */
Test(profile_partial, a_memory_limit_leaves_out_the_same)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.max_memory = UINT64_C(3) << 20;
	(void)compare(&many_paths, &options);
	options.max_memory = UINT64_C(40) << 20;
	(void)compare(&many_paths, &options);
}

/* No part of a profile has these. */
Test(profile_partial, other_options_use_no_parts)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_call_sites = 1;
	cr_expect_eq(compare(&few_rows, &options), 0);
	mprof_profile_options_init(&options, sizeof(options));
	options.with_durations = 1;
	cr_expect_eq(compare(&few_rows, &options), 0);
	mprof_profile_options_init(&options, sizeof(options));
	options.without_call_tree = 1;
	cr_expect_eq(compare(&few_rows, &options), 0);
	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = 30000;
	cr_expect_eq(compare(&few_rows, &options), 0);
}

Test(profile_partial, compilations_are_frames)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_compilations = 1;
	(void)compare(&few_rows, &options);
}

/* Two profiles of the same blocks, and one of blocks whose events another function fetches. */
Test(profile_partial, blocks_may_be_added_to_several_profiles)
{
	mprof_reader_options reading;
	mprof_profile *second = NULL;
	mprof_block block;
	test_log log;
	test_log other;

	write_log(&log, &steady, &layouts[1], 1);
	other = log;
	mprof_reader_options_init(&reading, sizeof(reading));
	reading.threads = 3;
	reading.keep_implicit_leaves = 1;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &reading, &log.reader), MPROF_OK);
	cr_assert_eq(mprof_profile_create(NULL, &log.profile), MPROF_OK);
	cr_assert_eq(mprof_profile_create(NULL, &second), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(log.reader, &block) == MPROF_OK) {
		mprof_event event;
		size_t count;

		cr_assert_eq(mprof_profile_add_block(log.profile, log.reader, &block), MPROF_OK);
		if (block.kind == MPROF_BLOCK_EVENTS)
			cr_assert_eq(mprof_reader_next_events(log.reader, &event, 1, &count), MPROF_END);
		cr_assert_eq(mprof_reader_load(log.reader, &block), MPROF_OK);
		cr_assert_eq(mprof_profile_add_block(second, log.reader, &block), MPROF_OK);
	}
	cr_assert_eq(mprof_profile_finish(second, log.reader), MPROF_OK);
	finish(&log);
	cr_expect_gt(log.profile->partials.used, 0);
	read_with(&other, NULL, 1);
	expect_same_results(&log, &other);
	mprof_profile_destroy(log.profile);
	log.profile = second;
	expect_same_results(&log, &other);
	log_forget_profile(&other);
	log_release(&log);
}

/* The statuses and the events of a log in which a byte is wrong. */
static uint64_t read_damaged(test_log *log, uint32_t threads, mprof_status *status)
{
	mprof_reader_options reading;
	uint64_t events;

	mprof_reader_options_init(&reading, sizeof(reading));
	reading.threads = threads;
	reading.ignore_checksums = 1;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, &reading, &log->reader), MPROF_OK);
	cr_assert_eq(mprof_profile_create(NULL, &log->profile), MPROF_OK);
	*status = mprof_profile_read(log->profile, log->reader, NULL, NULL);
	events = totals_of(log).events;
	return events;
}

/* Sanitizers take several times as long. */
static int is_sanitized(void)
{
	return getenv("MPROF_SANITIZED") != NULL;
}

Test(profile_partial, damaged_events_are_the_same)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		test_log log;
		test_log threaded;

		write_log(&log, &few_rows, &layouts[i], 5);
		for (int damage = 0; damage < (is_sanitized() ? 10 : 60); damage++) {
			const size_t offset = log.length / 20 + random_below(&random_state, (uint32_t)(log.length / 2));
			const uint8_t before = log.bytes[offset];
			mprof_status status;
			mprof_status threaded_status;
			uint64_t events;

			log.bytes[offset] = (uint8_t)random_below(&random_state, 256);
			threaded = log;
			events = read_damaged(&log, 1, &status);
			cr_expect_eq(read_damaged(&threaded, 3, &threaded_status), events);
			cr_expect_eq(threaded_status, status);
			expect_same_results(&log, &threaded);
			log_forget_profile(&log);
			log_forget_profile(&threaded);
			log.bytes[offset] = before;
		}
		log_release(&log);
	}
}

/* The memory of the profile, or of the reader, is refused from each request on, or once. */
static void refuse(int is_reader, int fail_once)
{
	failing_allocator failing = {0};
	mprof_allocator allocator = failing_allocator_interface(&failing);
	mprof_profile_options options;
	mprof_reader_options reading;
	mprof_status status = MPROF_ERR_MEMORY;
	test_log log;
	test_log whole;

	write_log(&log, &few_rows, &layouts[2], 1);
	whole = log;
	read_with(&whole, NULL, 1);
	mprof_profile_options_init(&options, sizeof(options));
	mprof_reader_options_init(&reading, sizeof(reading));
	reading.threads = 2;
	if (is_reader)
		reading.allocator = &allocator;
	else
		options.allocator = &allocator;
	for (size_t fail_at = 1; failing.requests >= fail_at || fail_at == 1; fail_at += is_sanitized() ? 7 : 1) {
		cr_assert_lt(fail_at, 2000);
		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		failing.fail_once = fail_once;
		status = mprof_reader_open_memory(log.bytes, log.length, &reading, &log.reader);
		if (status == MPROF_OK)
			status = mprof_profile_create(&options, &log.profile);
		if (status == MPROF_OK)
			status = mprof_profile_read(log.profile, log.reader, NULL, NULL);
		cr_expect(status == MPROF_OK || status == MPROF_ERR_MEMORY, "%d", status);
		if (status == MPROF_OK)
			expect_same_results(&whole, &log);
		log_forget_profile(&log);
		cr_expect_eq(failing.blocks, 0);
	}
	log_forget_profile(&whole);
	log_release(&log);
}

Test(profile_partial, refused_memory_is_reported_or_not_needed)
{
	refuse(0, 0);
	refuse(0, 1);
	refuse(1, 0);
	refuse(1, 1);
}
