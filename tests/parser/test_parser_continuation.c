/* SPDX-License-Identifier: MIT */
/*
 * Blocks that repeat the base counter of the previous block of their thread: Mono set a new one only when a buffer was
 * full. Their events continue from the last one of that block, however many of its events were fetched.
 */
#include "logs/raw_log.h"

#include "base/failing_allocator.h"

#include <stdlib.h>

#define THREAD 7
#define BASE 1000

/* Enters of method 1, with these times. */
static void put_enters(const uint64_t *times, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put_bytes("\x09\x80", 2);
		put(times[i]);
	}
}

static void put_events(uint64_t thread, uint64_t base, const uint64_t *times, size_t count)
{
	begin_events(CODE_EVENTS, thread, base);
	put_enters(times, count);
	end_events();
}

#define PUT_EVENTS(thread, base, ...)                                                                                  \
	put_events(thread, base, (const uint64_t[]){__VA_ARGS__},                                                      \
		   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The blocks of the usual log by index. */
enum { NUMBER_FIRST = 1, NUMBER_SECOND, NUMBER_OF_OTHER, NUMBER_THIRD, NUMBER_FRESH, NUMBER_OLD_BASE };

/* Three blocks of a thread with the same base counter, one of another thread between them, and further blocks. */
static void make_log(uint32_t header_length)
{
	begin_log(header_length, 500);
	PUT_EVENTS(THREAD, BASE, 10, 20);
	PUT_EVENTS(THREAD, BASE, 5);
	PUT_EVENTS(THREAD + 1, BASE, 3);
	PUT_EVENTS(THREAD, BASE, 7, 1);
	PUT_EVENTS(THREAD, BASE + 2000, 4);
	PUT_EVENTS(THREAD, BASE, 6);
}

static void expect_counters(mprof_parser *parser, const uint64_t *counters, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_event event;
		size_t fetched;

		cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &fetched), MPROF_OK, "%s",
			     parser_error_of(parser).what);
		cr_assert_eq(event.counter, counters[i], "event %zu is at %llu", i, (unsigned long long)event.counter);
	}
}

static void load_next(mprof_parser *parser)
{
	mprof_block block = fresh_block();

	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK, "%s", parser_error_of(parser).what);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
}

static void skip_block(mprof_parser *parser)
{
	mprof_block block = fresh_block();

	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_OK);
}

static void go_on_from(mprof_parser *parser, size_t number)
{
	size_t offset = builder.offsets[number];

	cr_assert_eq(mprof_parser_restart(parser, offset), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, builder.bytes + offset, builder.length - offset), MPROF_OK);
	mprof_parser_finish(parser);
}

#define EXPECT(...)                                                                                                    \
	expect_counters(parser, (const uint64_t[]){__VA_ARGS__},                                                       \
			sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

#define NEXT(...) (load_next(parser), EXPECT(__VA_ARGS__))

static void expect_continued(void)
{
	mprof_parser *parser = open_log();

	NEXT(1010, 1030);
	NEXT(1035);
	NEXT(1003);
	NEXT(1042, 1043);
	NEXT(3004);
	NEXT(1006);
	mprof_parser_destroy(parser);
}

Test(parser_continuation, mono)
{
	make_log(10);
	expect_continued();
}

Test(parser_continuation, drop)
{
	make_log(6);
	expect_continued();
}

/* The block reports the base counter that is in the log. */
Test(parser_continuation, base_counter_of_the_block_is_that_of_the_log)
{
	mprof_parser *parser;
	mprof_block block = fresh_block();

	make_log(10);
	parser = open_log();
	NEXT(1010, 1030);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.as.events.base_counter, BASE);
	mprof_parser_destroy(parser);
}

Test(parser_continuation, mail_does_not_repeat_base_counters)
{
	mprof_parser *parser;

	begin_log(6, 500);
	for (int i = 0; i < 2; i++) {
		begin_events(CODE_EVENTS_OF_MAIL, THREAD, BASE);
		put_enters((const uint64_t[]){10}, 1);
		end_events();
	}
	parser = open_log();
	NEXT(1010);
	NEXT(1010);
	cr_assert_eq(mprof_parser_get_dialect(parser), MPROF_DIALECT_MAIL);
	mprof_parser_destroy(parser);
}

Test(parser_continuation, block_before_was_fetched_in_part_or_not_at_all)
{
	mprof_parser *parser;

	make_log(10);
	parser = open_log();
	NEXT(1010);
	load_next(parser);
	load_next(parser);
	NEXT(1042);
	mprof_parser_destroy(parser);
}

Test(parser_continuation, block_is_fetched_twice)
{
	mprof_parser *parser;
	mprof_block block = fresh_block();

	make_log(10);
	parser = open_log();
	NEXT(1010, 1030);
	NEXT(1035);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	EXPECT(1035);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	NEXT(1003);
	NEXT(1042, 1043);
	mprof_parser_destroy(parser);
}

/* The best available counter is that of the last block of the thread that was loaded. */
Test(parser_continuation, block_before_was_skipped)
{
	mprof_parser *parser;

	make_log(10);
	parser = open_log();
	NEXT(1010, 1030);
	skip_block(parser);
	skip_block(parser);
	NEXT(1037, 1038);
	mprof_parser_destroy(parser);
}

Test(parser_continuation, all_blocks_before_were_skipped)
{
	mprof_parser *parser;

	make_log(10);
	parser = open_log();
	skip_block(parser);
	NEXT(1005);
	mprof_parser_destroy(parser);
}

/* The parser remembers the counter at which the events of a block start. */
Test(parser_continuation, restart_at_blocks_that_were_read)
{
	mprof_parser *parser;

	make_log(10);
	parser = open_log();
	for (size_t i = NUMBER_FIRST; i <= NUMBER_OLD_BASE; i++)
		load_next(parser);
	go_on_from(parser, NUMBER_THIRD);
	NEXT(1042, 1043);
	go_on_from(parser, NUMBER_SECOND);
	NEXT(1035);
	NEXT(1003);
	NEXT(1042);
	go_on_from(parser, NUMBER_FIRST);
	NEXT(1010);
	NEXT(1035);
	go_on_from(parser, NUMBER_OLD_BASE);
	NEXT(1006);
	mprof_parser_destroy(parser);
}

/* The counters before a seek are not used for the block after it. */
Test(parser_continuation, restart_at_blocks_that_were_not_read)
{
	mprof_parser *parser;

	make_log(10);
	parser = open_log();
	NEXT(1010, 1030);
	go_on_from(parser, NUMBER_THIRD);
	NEXT(1007, 1008);
	go_on_from(parser, NUMBER_SECOND);
	NEXT(1005);
	/* After it was read in order once, the counter is known. */
	go_on_from(parser, NUMBER_FIRST);
	for (size_t i = NUMBER_FIRST; i <= NUMBER_THIRD; i++)
		load_next(parser);
	go_on_from(parser, NUMBER_THIRD);
	NEXT(1042, 1043);
	mprof_parser_destroy(parser);
}

/* Counters after a seek are uncertain, so they are not remembered when the log is read in order afterwards. */
Test(parser_continuation, restarts_backwards)
{
	mprof_parser *parser;

	begin_log(10, 500);
	for (uint64_t i = 0; i < 10; i++)
		PUT_EVENTS(THREAD, BASE, 10, 10);
	parser = open_log();
	for (size_t i = 9; i >= 2; i--) {
		go_on_from(parser, i);
		NEXT(1010, 1020);
		NEXT(1030);
	}
	go_on_from(parser, 1);
	for (uint64_t i = 0; i < 7; i++)
		NEXT(1010 + 20 * i, 1020 + 20 * i);
	mprof_parser_destroy(parser);
}

Test(parser_continuation, restarts_in_any_order_after_a_first_reading)
{
	mprof_parser *parser;

	begin_log(10, 500);
	for (uint64_t i = 0; i < 10; i++)
		PUT_EVENTS(THREAD, BASE, 10, 10);
	parser = open_log();
	NEXT(1010, 1020);
	/* Reading from the first block again is still in order. */
	go_on_from(parser, 1);
	for (uint64_t i = 0; i < 10; i++)
		load_next(parser);
	for (size_t i = 0; i < 10; i++) {
		uint64_t number = i * 7 % 10;

		go_on_from(parser, 1 + number);
		NEXT(1010 + 20 * number, 1020 + 20 * number);
	}
	mprof_parser_destroy(parser);
}

/* An event of the previous block is damaged: the events before it count. */
Test(parser_continuation, block_before_is_damaged)
{
	mprof_parser *parser;

	begin_log(10, 500);
	begin_events(CODE_EVENTS, THREAD, BASE);
	put_enters((const uint64_t[]){10}, 1);
	put_bytes("\x57\x81\x81", 3);
	end_events();
	PUT_EVENTS(THREAD, BASE, 5);
	parser = open_log();
	load_next(parser);
	NEXT(1015);
	cr_assert_eq(mprof_parser_next_block(parser, &(mprof_block){.struct_size = sizeof(mprof_block)}), MPROF_END);
	mprof_parser_destroy(parser);
}

Test(parser_continuation, log_ends_inside_the_block)
{
	mprof_parser *parser;
	mprof_block block = fresh_block();
	mprof_event event;
	size_t count;

	begin_log(10, 500);
	PUT_EVENTS(THREAD, BASE, 10, 20);
	PUT_EVENTS(THREAD, BASE, 5, 6, 300);
	/* The last time is truncated, and so is the rest of the block. */
	builder.length = builder.offsets[2] + 10 + 10;
	parser = open_log();
	load_next(parser);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_TRUNCATED);
	cr_assert_eq(block.loaded, 1);
	EXPECT(1035);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_TRUNCATED);
	mprof_parser_destroy(parser);
}

/* The rest of a time that was too long follows the last event, and belongs to it. */
Test(parser_continuation, stray_record_at_the_end_of_the_block_before)
{
	mprof_parser *parser;

	begin_log(10, 500);
	begin_events(CODE_EVENTS, THREAD, BASE);
	put_enters((const uint64_t[]){10}, 1);
	put_bytes("\x07\xa8\x80", 3);
	end_events();
	PUT_EVENTS(THREAD, BASE, 5);
	parser = open_log();
	NEXT(1010);
	NEXT(1055);
	mprof_parser_destroy(parser);
}

/*
 * The profiler wrote uninitialized memory as a time, which leads past the end of the block. Later events are not moved.
 */
Test(parser_continuation, garbage_time_of_a_monitor_event)
{
	mprof_parser *parser;

	begin_log(10, 500);
	begin_events(CODE_EVENTS, THREAD, BASE);
	put_enters((const uint64_t[]){10}, 1);
	put_bytes("\x1e\x83", 2);
	put(UINT64_C(0x7fd8ac78fba0));
	put_bytes("\x82\x81", 2);
	put_enters((const uint64_t[]){10}, 1);
	end_events();
	PUT_EVENTS(THREAD, BASE, 5);
	parser = open_log();
	NEXT(1010, 1010, 1020);
	NEXT(1025);
	mprof_parser_destroy(parser);
}

/* Fetches a stack section that is longer than a batch. */
Test(parser_continuation, long_stack_section)
{
	static mprof_event events[4];
	mprof_parser *parser;
	size_t count;

	begin_log(10, 500);
	begin_events(CODE_EVENTS, THREAD, BASE);
	put_bytes("\x4f\x80", 2);
	put(3000);
	for (uint64_t i = 0; i < 3000; i++)
		put_byte((uint8_t)(0x80 + i % 100));
	put_enters((const uint64_t[]){10}, 1);
	end_events();
	parser = open_log();
	load_next(parser);
	cr_assert_eq(mprof_parser_next_events(parser, events, 4, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	cr_assert_eq(events[0].kind, MPROF_EVENT_STACK_SECTION);
	cr_assert_eq(events[0].more.detail->reference_count, 3000);
	for (uint64_t i = 0; i < 3000; i++)
		cr_assert_eq(events[0].more.detail->references[i], i % 100);
	cr_assert_eq(events[1].counter, 1010);
	mprof_parser_destroy(parser);
}

/* Reads all blocks, unless memory is refused. */
static void read_with_failures(failing_allocator *failing)
{
	const mprof_allocator allocator = failing_allocator_interface(failing);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block = fresh_block();
	mprof_status status;

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	status = mprof_parser_create(&options, &parser);
	if (status == MPROF_OK)
		status = mprof_parser_feed(parser, builder.bytes, builder.length);
	if (status == MPROF_OK)
		mprof_parser_finish(parser);
	while (status == MPROF_OK) {
		mprof_event event;
		size_t count;

		status = mprof_parser_next_block(parser, &block);
		if (status == MPROF_OK && block.kind == MPROF_BLOCK_EVENTS)
			status = mprof_parser_next_events(parser, &event, 1, &count);
	}
	cr_assert_eq(status, failing->refused == 0 ? MPROF_END : MPROF_ERR_MEMORY);
	mprof_parser_destroy(parser);
}

Test(parser_continuation, no_memory_once)
{
	size_t n = 0;
	failing_allocator failing;

	make_log(10);
	do {
		memset(&failing, 0, sizeof(failing));
		failing.fail_at = ++n;
		failing.fail_once = 1;
		read_with_failures(&failing);
		cr_assert_eq(failing.blocks, 0);
	} while (failing.refused > 0);
	cr_assert_gt(n, 3);
}
