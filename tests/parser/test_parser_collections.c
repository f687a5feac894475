/* SPDX-License-Identifier: MIT */
/*
 * Whether a log of Mono has collection numbers. The log does not specify it, and a change of the heap size has either a
 * number or a time at the same position: it is inferred from other content of the log.
 */
#include "logs/raw_log.h"

#define THREAD 7
#define BASE 1000

/* Counters that are ticks of a processor, and counters that are times of day, near to those of the other blocks. */
#define TICKS 123456789
#define TIMES (RAW_LOG_TIME + 20)

/*
 * A block in which the heap size becomes 5000 bytes, with 4 as the number or the time, and a method is entered 10
 * later.
 */
static void put_resize_from(uint64_t base)
{
	begin_events(CODE_EVENTS, THREAD, base);
	put_bytes("\x2f\x08\xa7\x84\x09\x80\x8a", 7);
	end_events();
}

static void put_resize(void)
{
	put_resize_from(BASE);
}

/* Collection 3 starts. */
static void put_numbered(void)
{
	begin_events(CODE_EVENTS, THREAD + 1, BASE);
	put_bytes("\x17\x00\x86\x81", 4);
	end_events();
}

/* A collection of generation 0 starts. */
static void put_unnumbered(void)
{
	begin_events(CODE_EVENTS, THREAD + 1, BASE);
	put_bytes("\x17\x80\x81", 3);
	end_events();
}

static void put_block(uint32_t code, const char *content, size_t length)
{
	begin_block(code);
	put_bytes(content, length);
	end_block();
}

#define PUT_BLOCK(code, content) put_block(code, content, sizeof(content) - 1)

/*
 * Goes on to the block of THREAD and expects its change of the heap size to have a number and no time, or the reverse.
 */
static void expect_number(mprof_parser *parser, int has_number)
{
	mprof_block block;
	mprof_event events[2];
	size_t count;

	do {
		block = fresh_block();
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK, "%s", parser_error_of(parser).what);
		if (block.kind == MPROF_BLOCK_EVENTS)
			cr_assert_eq(mprof_parser_next_events(parser, events, 2, &count), MPROF_OK);
	} while (block.kind != MPROF_BLOCK_EVENTS || block.thread != THREAD);
	cr_assert_eq(count, 2);
	cr_assert_eq(events[0].kind, MPROF_EVENT_GC_RESIZE);
	cr_assert_eq(events[0].value, 5000);
	cr_assert_eq(events[0].id, has_number ? 4 : 0);
	cr_assert_eq(events[0].counter - block.as.events.base_counter, has_number ? 0 : 4);
	cr_assert_eq(events[1].counter, events[0].counter + 10);
}

static void expect_number_at_once(int has_number)
{
	mprof_parser *parser = open_log();

	expect_number(parser, has_number);
	mprof_parser_destroy(parser);
}

/* Numbers were introduced on the same day as ticks. */
Test(parser_collections, counters_that_are_ticks)
{
	begin_log(10, TICKS);
	put_resize();
	expect_number_at_once(1);
}

Test(parser_collections, counters_that_are_times)
{
	begin_log(10, TIMES);
	put_resize();
	expect_number_at_once(0);
	begin_log(10, RAW_LOG_TIME - 1);
	put_resize();
	expect_number_at_once(0);
}

/* The first number is 1. The inference is revoked by a collection without a number. */
Test(parser_collections, first_resize_has_the_first_number)
{
	begin_log(10, TIMES);
	begin_events(CODE_EVENTS, THREAD + 1, BASE);
	put_bytes("\x2f\x08\xa7\x81", 4);
	end_events();
	put_resize();
	expect_number_at_once(1);
	begin_log(10, TIMES);
	begin_events(CODE_EVENTS, THREAD + 1, BASE);
	put_bytes("\x2f\x08\xa7\x81", 4);
	end_events();
	put_unnumbered();
	put_resize();
	expect_number_at_once(0);
}

Test(parser_collections, generations_alone_do_not_decide)
{
	begin_log(10, TIMES);
	put_unnumbered();
	put_resize();
	expect_number_at_once(0);
}

/* On processors whose ticks Mono did not read. */
Test(parser_collections, number_of_another_collection)
{
	begin_log(10, TIMES);
	put_numbered();
	put_resize();
	expect_number_at_once(1);
}

/* The number comes too late for the first block, unless that block is read again. */
Test(parser_collections, number_of_a_later_collection)
{
	mprof_parser *parser;

	begin_log(10, TIMES);
	put_resize();
	put_numbered();
	put_resize_from(2 * BASE);
	parser = open_log();
	expect_number(parser, 0);
	expect_number(parser, 1);
	cr_assert_eq(mprof_parser_restart(parser, builder.offsets[1]), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, builder.bytes + builder.offsets[1], builder.length - builder.offsets[1]),
		     MPROF_OK);
	expect_number(parser, 1);
	mprof_parser_destroy(parser);
}

/* Even if it declares nothing. */
Test(parser_collections, directives)
{
	begin_log(10, TIMES);
	PUT_BLOCK(CODE_DIRECTIVES, "\x81\x81\x80\x81\x81");
	put_resize();
	expect_number_at_once(1);
}

Test(parser_collections, heap_summary)
{
	begin_log(10, TIMES);
	PUT_BLOCK(CODE_SUMMARY, "\x81\x81\x83\x80\x81\x81");
	put_resize();
	expect_number_at_once(1);
}

/* A heap snapshot that has a number, and one of an earlier version. */
Test(parser_collections, heap_shots)
{
	begin_log(10, TIMES);
	PUT_BLOCK(CODE_HEAP, "\x81\x81\x82\x82\x83\x83\x83\x80\x84\x84");
	put_resize();
	expect_number_at_once(1);
	begin_log(10, TIMES);
	PUT_BLOCK(CODE_HEAP, "\x81\x81\x82\x82\x83\x83\x80\x84\x84");
	put_resize();
	expect_number_at_once(0);
}

Test(parser_collections, drop_has_none)
{
	begin_log(6, TICKS);
	put_numbered();
	put_resize();
	expect_number_at_once(0);
}
