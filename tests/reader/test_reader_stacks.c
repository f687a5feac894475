/* SPDX-License-Identifier: MIT */
/* Stack sections of mono and unity become the call stacks of the events that follow them. */
#include "logs/classic_log.h"
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define STACKS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)
#define THREAD 77

/* A frame of a section. */
#define RUNS(method) ((uint64_t)(method) << 1)
#define COMPILES(method) ((uint64_t)(method) << 1 | 1)

static classic_log the_log;

static classic_log *begin(uint64_t directives)
{
	classic_log_begin(&the_log, MPROF_DIALECT_MONO);
	classic_log_directives(&the_log, directives);
	return &the_log;
}

static uint32_t stack_of(const mprof_event *event)
{
	return event->more.detail != NULL ? event->more.detail->stack : 0;
}

/* A call stack as text: "3 2* 1" is method 3, called by 2, which is being compiled, called by 1. */
static const char *chain_text(const mprof_reader *reader, uint32_t stack)
{
	static char text[256];
	mprof_stack_frame frame;
	size_t length = 0;

	text[0] = 0;
	while (mprof_reader_lookup_caller(reader, stack, &frame, sizeof(frame), &stack) == MPROF_OK) {
		cr_assert_eq(frame.is_native, 0);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u%s", length > 0 ? " " : "",
					   (unsigned)frame.id, frame.is_compiling ? "*" : "");
		cr_assert_lt(length, sizeof(text));
	}
	return text;
}

/* The call stacks of all events of the loaded block except its sections, separated by ", ". */
static const char *block_text_by(mprof_reader *reader, size_t capacity)
{
	static char text[1024];
	mprof_event events[64];
	size_t length = 0;
	size_t count;

	text[0] = 0;
	while (mprof_reader_next_events(reader, events, capacity, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			if (events[i].kind == MPROF_EVENT_STACK_SECTION)
				continue;
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", length > 0 ? ", " : "",
						   chain_text(reader, stack_of(&events[i])));
			cr_assert_lt(length, sizeof(text));
		}
	}
	return text;
}

static const char *block_text(mprof_reader *reader)
{
	return block_text_by(reader, 64);
}

static void next_events_block(mprof_reader *reader)
{
	mprof_block block;

	classic_log_go_to(reader, MPROF_BLOCK_EVENTS, &block);
}

static void expect_next_block(mprof_reader *reader, const char *chains)
{
	next_events_block(reader);
	cr_expect_str_eq(block_text(reader), chains);
}

static mprof_reader *finish(classic_log *log)
{
	classic_log_end(log);
	return classic_log_read(log, NULL);
}

/* Pushes, pops, both, nothing; methods being compiled; and the empty stack. */
static classic_log *make_all_changes(void)
{
	classic_log *log = begin(STACKS);

	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 0);
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 0, RUNS(3), RUNS(2), RUNS(1));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 3);
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 2);
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 1, COMPILES(5), RUNS(4));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 2, RUNS(5));
	classic_log_allocation(log);
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 0);
	classic_log_allocation(log);
	classic_log_close_events(log);
	return log;
}

#define ALL_CHANGES ", 3 2 1, 3 2 1, 2 1, 5* 4 1, 5 4 1, 5 4 1, "

Test(reader_stacks, changes)
{
	mprof_reader *reader = finish(make_all_changes());
	mprof_record record;

	next_events_block(reader);
	cr_assert_str_eq(block_text(reader), &ALL_CHANGES[2]);
	/* 1, 2 called by it, 3 called by that, 4 called by 1, 5* called by that, 5 called by that. */
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_STACK), 6);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_STACK, 5, &record, sizeof(record)), MPROF_OK);
	cr_assert_eq(record.as.stack.is_compiling, 1);
	cr_assert_eq(record.as.stack.target, 5);
	cr_assert_eq(record.as.stack.caller, 4);
	mprof_reader_destroy(reader);
}

/* The same with any number of events per fetch. */
Test(reader_stacks, batches)
{
	mprof_reader *reader = finish(make_all_changes());

	for (size_t capacity = 1; capacity < 20; capacity++) {
		cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
		next_events_block(reader);
		cr_assert_str_eq(block_text_by(reader, capacity), &ALL_CHANGES[2], "%zu at once", capacity);
	}
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_STACK), 6, "each stack is defined once");
	mprof_reader_destroy(reader);
}

/* The other details of an event are kept. */
Test(reader_stacks, other_details_are_kept)
{
	classic_log *log = begin(STACKS | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
				 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT));
	mprof_event events[2];
	mprof_reader *reader;
	size_t count;

	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 0, RUNS(2), RUNS(1));
	classic_log_allocation(log);
	CLASSIC_PUT(log, 2, 0x7f0012345740);
	classic_log_close_events(log);
	reader = finish(log);
	next_events_block(reader);
	cr_assert_eq(mprof_reader_next_events(reader, events, 2, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	cr_assert_eq(events[1].more.detail->caller, 2);
	cr_assert_eq(events[1].more.detail->object, 0x7f0012345740);
	cr_assert_str_eq(chain_text(reader, events[1].more.detail->stack), "2 1");
	mprof_reader_destroy(reader);
}

/* The end of a wait has the call stack of its start: the log has a section only if the stack has changed. */
Test(reader_stacks, chain_stays)
{
	classic_log *log = begin(STACKS);
	mprof_reader *reader;

	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 0, RUNS(1));
	classic_log_monitor(log);
	classic_log_monitor(log);
	classic_log_close_events(log);
	reader = finish(log);
	expect_next_block(reader, "1, 1");
	mprof_reader_destroy(reader);
}

/* The option "monitor" alone: without directive 2 sections do not apply to allocations. */
Test(reader_stacks, monitors_without_directive)
{
	classic_log *log = begin(0);
	mprof_reader *reader;

	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 0, RUNS(2), RUNS(1));
	classic_log_monitor(log);
	classic_log_allocation(log);
	classic_log_monitor(log);
	classic_log_close_events(log);
	reader = finish(log);
	expect_next_block(reader, "2 1, , 2 1");
	mprof_reader_destroy(reader);
}

/* If recording started late or a block was missed, fewer frames are known than a section keeps. */
Test(reader_stacks, more_stay_than_are_known)
{
	classic_log *log = begin(STACKS);
	mprof_reader *reader;

	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 5, RUNS(9));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 6, RUNS(8));
	classic_log_allocation(log);
	/* Pops into the unknown frames. */
	CLASSIC_SECTION(log, 3, RUNS(7));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 4);
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 2);
	classic_log_allocation(log);
	/* Unknown frames on top of known ones. */
	CLASSIC_SECTION(log, 0, RUNS(2), RUNS(1));
	CLASSIC_SECTION(log, UINT32_MAX, RUNS(6));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 2);
	classic_log_allocation(log);
	classic_log_close_events(log);
	reader = finish(log);
	expect_next_block(reader, "9 0, 8 9 0, 7 0, 7 0, 0, 6 0 2 1, 2 1");
	mprof_reader_destroy(reader);
}

/* A log with stacks that continue from block to block, of two threads, and of a third one that repeats its own. */
static classic_log *make_continued(void)
{
	classic_log *log = begin(STACKS);

	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 0, RUNS(2), RUNS(1));
	classic_log_allocation(log);
	classic_log_close_events(log);
	classic_log_open_events(log, THREAD + 1);
	CLASSIC_SECTION(log, 0, RUNS(11));
	classic_log_allocation(log);
	classic_log_close_events(log);
	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 2, RUNS(3));
	classic_log_allocation(log);
	classic_log_close_events(log);
	classic_log_open_events(log, THREAD + 1);
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 1, RUNS(12));
	classic_log_close_events(log);
	classic_log_open_events(log, THREAD + 1);
	CLASSIC_SECTION(log, 2);
	classic_log_allocation(log);
	classic_log_close_events(log);
	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 0, RUNS(5), RUNS(1));
	classic_log_allocation(log);
	classic_log_close_events(log);
	return log;
}

static const char *const continued[] = {"2 1", "11", "3 2 1", "11", "12 11", "5 1"};
#define CONTINUED_COUNT (sizeof(continued) / sizeof(continued[0]))

/* Revisions from October to December 2008 repeat nothing. */
Test(reader_stacks, goes_on_in_the_next_block)
{
	mprof_reader *reader = finish(make_continued());

	for (size_t i = 0; i < CONTINUED_COUNT; i++)
		expect_next_block(reader, continued[i]);
	mprof_reader_destroy(reader);
}

/* Events of a block that were not fetched are taken into account. */
Test(reader_stacks, blocks_that_are_left_early)
{
	for (size_t requested = 0; requested < CONTINUED_COUNT; requested++) {
		mprof_reader *reader = finish(make_continued());
		mprof_event event;
		size_t count;

		for (size_t i = 0; i < requested; i++) {
			next_events_block(reader);
			if (i % 2 == 0)
				cr_assert_eq(mprof_reader_next_events(reader, &event, 1, &count), MPROF_OK);
		}
		expect_next_block(reader, continued[requested]);
		mprof_reader_destroy(reader);
	}
}

/* A block that is loaded again starts from the same stack. */
Test(reader_stacks, loaded_again)
{
	mprof_reader *reader = finish(make_continued());
	mprof_block block;
	uint64_t stacks = 0;

	for (size_t i = 0; i < CONTINUED_COUNT; i++) {
		next_events_block(reader);
		for (int round = 0; round < 3; round++) {
			mprof_event event;
			size_t count;

			mprof_block_init(&block, sizeof(block));
			cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
			cr_expect_str_eq(block_text(reader), continued[i], "block %zu, round %d", i, round);
			cr_assert(round == 0 || mprof_reader_get_record_count(reader, MPROF_RECORD_STACK) == stacks);
			stacks = mprof_reader_get_record_count(reader, MPROF_RECORD_STACK);
			/* Fetches only a part of it. */
			cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
			cr_assert_eq(mprof_reader_next_events(reader, &event, 1, &count), MPROF_OK);
		}
	}
	mprof_reader_destroy(reader);
}

/*
 * A block that changes the stack repeatedly, including frames of the previous block, starts from the same stack when it
 * is loaded again.
 */
Test(reader_stacks, taken_back)
{
	classic_log *log = begin(STACKS);
	const char *chains = "7 2 1, 9 8 1, 13 12 11 10, 14 13 12 11 10, 15 12 11 10";
	mprof_reader *reader;
	mprof_block block;

	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 0, RUNS(6), RUNS(5), RUNS(4), RUNS(3), RUNS(2), RUNS(1));
	classic_log_close_events(log);
	classic_log_open_events(log, THREAD);
	CLASSIC_SECTION(log, 2, RUNS(7));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 1, RUNS(9), RUNS(8));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 0, RUNS(13), RUNS(12), RUNS(11), RUNS(10));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 4, RUNS(14));
	classic_log_allocation(log);
	CLASSIC_SECTION(log, 3, RUNS(15));
	classic_log_allocation(log);
	classic_log_close_events(log);
	reader = finish(log);
	expect_next_block(reader, "");
	next_events_block(reader);
	for (size_t fetched = 0; fetched < 11; fetched++) {
		mprof_event events[16];
		size_t count;

		mprof_block_init(&block, sizeof(block));
		cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
		if (fetched > 0)
			cr_assert_eq(mprof_reader_next_events(reader, events, fetched, &count), MPROF_OK);
		cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
		cr_expect_str_eq(block_text(reader), chains, "after %zu events", fetched);
	}
	mprof_reader_destroy(reader);
}

/* After the index was built, all blocks can be read in any order, and nothing is defined twice. */
Test(reader_stacks, any_order_after_the_index)
{
	mprof_reader *reader = finish(make_continued());
	const mprof_index_entry *entries;
	uint64_t stacks;
	size_t count;

	entries = fetch_index(reader, &count);
	stacks = mprof_reader_get_record_count(reader, MPROF_RECORD_STACK);
	cr_assert_eq(stacks, 6, "all stacks are known");
	/* INTRO and DIRECTIVES come first. */
	for (size_t i = CONTINUED_COUNT; i-- > 0;) {
		cr_assert_eq(mprof_reader_seek(reader, entries[i + 2].offset), MPROF_OK);
		for (size_t later = i; later < CONTINUED_COUNT; later++)
			expect_next_block(reader, continued[later]);
	}
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_STACK), stacks);
	mprof_reader_destroy(reader);
}

/* After a seek past blocks that were not read, no stacks are known, unless the log repeats them. */
Test(reader_stacks, seek_ahead)
{
	classic_log *log = make_continued();
	mprof_reader *reader = finish(log);
	const mprof_index_entry *entries;
	uint64_t offset;
	size_t count;

	entries = fetch_index(reader, &count);
	offset = entries[4].offset;
	mprof_reader_destroy(reader);
	reader = classic_log_read(log, NULL);
	/* The directive is skipped too, but reading one block first collects it. */
	next_events_block(reader);
	cr_assert_eq(mprof_reader_seek(reader, offset), MPROF_OK);
	expect_next_block(reader, "3 0");
	expect_next_block(reader, "");
	expect_next_block(reader, "12 0");
	expect_next_block(reader, "5 1");
	mprof_reader_destroy(reader);
}

/* Events of a log without any section are returned as the parser returns them. */
Test(reader_stacks, no_sections)
{
	classic_log *log = begin(STACKS);
	mprof_event events[2];
	mprof_reader *reader;
	size_t count;

	classic_log_open_events(log, THREAD);
	classic_log_allocation(log);
	classic_log_allocation(log);
	classic_log_close_events(log);
	reader = finish(log);
	next_events_block(reader);
	cr_assert_eq(mprof_reader_next_events(reader, events, 2, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	cr_assert_null(events[0].more.detail);
	cr_assert_null(events[1].more.detail);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_STACK), 0);
	mprof_reader_destroy(reader);
}

/* A log of sections each of which defines new call stacks. */
static classic_log *make_many_chains(void)
{
	classic_log *log = begin(STACKS);

	classic_log_open_events(log, THREAD);
	for (uint64_t method = 1; method <= 2000; method++) {
		CLASSIC_SECTION(log, method % 20, RUNS(method + 1), RUNS(method));
		classic_log_allocation(log);
	}
	classic_log_close_events(log);
	return log;
}

/* Call stacks beyond the limit are unknown, which is reported once, after all events were returned. */
Test(reader_stacks, memory_limit)
{
	classic_log *log = make_many_chains();
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_reader_options options;
	mprof_event events[500];
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;
	size_t allocations = 0;
	size_t count;

	classic_log_end(log);
	mprof_reader_options_init(&options, sizeof(options));
	options.max_names_memory = 10000;
	reader = classic_log_read(log, &options);
	classic_log_go_to(reader, MPROF_BLOCK_EVENTS, &block);
	while ((status = mprof_reader_next_events(reader, events, 500, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			allocations += events[i].kind == MPROF_EVENT_ALLOCATION;
	}
	cr_assert_eq(allocations, 2000);
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	cr_assert_eq(mprof_reader_get_error(reader, &error), MPROF_OK);
	cr_assert_eq(error.severity, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(error.block_offset, block.offset);
	cr_assert_eq(mprof_reader_next_events(reader, events, 500, &count), MPROF_END);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_END);
	mprof_reader_destroy(reader);
}

/* If memory for call stacks is refused, the reader returns the error, and keeps no stacks. */
Test(reader_stacks, no_memory)
{
	classic_log *log = make_continued();

	classic_log_end(log);
	classic_log_refuse_memory(log, MPROF_BLOCK_EVENTS, 64, 1);
}
