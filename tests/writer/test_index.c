/* SPDX-License-Identifier: MIT */
/* INDEX blocks describe all blocks before them, with the calls that are open where EVENTS blocks begin. */
#include "format/blocks/block_decode.h"
#include "format/blocks/index_items.h"
#include "format/values/varint.h"

#include <mprof/reader.h>
#include <mprof/writer.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define THREADS 3
#define METHODS 50
#define MAX_DEPTH 1200
#define FIRST_THREAD UINT64_C(0x7f3200001000)
#define CHECKSUM 4
#define HEADER 6

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t now;

static void tell_time(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = 1195689600000000 + now / 1000;
}

/* The calls of a thread, as the events of the log have them. */
typedef struct calls {
	uint32_t methods[MAX_DEPTH];
	size_t depth;
} calls;

static mprof_event any_event(calls *thread, int grows)
{
	const uint64_t choice = next_random() % 8;
	mprof_event event = {.kind = MPROF_EVENT_ALLOCATION, .id = 1, .value = 24};

	now += next_random() % 100;
	event.counter = now;
	if ((choice < 3 || (grows && choice < 6)) && thread->depth < MAX_DEPTH) {
		event.kind = MPROF_EVENT_METHOD_ENTER;
		event.id = (uint32_t)(next_random() % METHODS) + 1;
		event.value = 0;
		thread->methods[thread->depth++] = event.id;
	} else if (choice < 6 && thread->depth > 0) {
		event.kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		event.id = 0;
		event.value = 0;
		thread->depth--;
	} else if (choice == 6) {
		/* A leave by name ends the calls above, too; of a method that is not open it ends none. */
		event.kind = MPROF_EVENT_METHOD_LEAVE_EXCEPTION;
		event.id = (uint32_t)(next_random() % (METHODS + 1)) + 1;
		event.value = 0;
		for (size_t i = thread->depth; i > 0; i--) {
			if (thread->methods[i - 1] == event.id) {
				thread->depth = i - 1;
				break;
			}
		}
	}
	return event;
}

static mprof_writer *open_log(uint32_t has_columns)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS);
	options.clock = tell_time;
	options.has_columns = has_columns;
	options.has_index = 1;
	now = 1000;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	return writer;
}

static void define(mprof_writer *writer)
{
	mprof_class_definition word = {.struct_size = sizeof(word), .id = 1, .name = "Word", .name_length = 4};

	cr_assert_eq(mprof_writer_define_class(writer, &word), MPROF_OK);
	for (uint32_t id = 1; id <= METHODS + 1; id++) {
		mprof_method_definition method = {
			.struct_size = sizeof(method), .id = id, .class_id = 1, .name = "Run ()", .name_length = 6};

		cr_assert_eq(mprof_writer_define_method(writer, &method), MPROF_OK);
	}
}

/* What the test expects of an EVENTS block. */
typedef struct expected_stack {
	uint32_t *methods;
	size_t depth;
	int is_known;
} expected_stack;

static expected_stack *expected;
static size_t expected_count;

static void expect_stack(const calls *thread, int is_known)
{
	expected_stack *added;

	expected = realloc(expected, (expected_count + 1) * sizeof(*expected));
	added = &expected[expected_count++];
	added->depth = thread->depth;
	added->is_known = is_known && thread->depth <= INDEX_MAX_FRAMES;
	added->methods = malloc((thread->depth + 1) * sizeof(uint32_t));
	memcpy(added->methods, thread->methods, thread->depth * sizeof(uint32_t));
}

static void write_block(mprof_writer *writer, calls *threads, size_t thread, size_t count, int is_known)
{
	cr_assert_eq(mprof_writer_begin_events(writer, FIRST_THREAD + thread, now), MPROF_OK);
	expect_stack(&threads[thread], is_known);
	for (size_t i = 0; i < count; i++) {
		const mprof_event event = any_event(&threads[thread], count > 500);

		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

static void write_some(mprof_writer *writer, size_t blocks, int is_known, calls *threads)
{
	for (size_t i = 0; i < blocks; i++) {
		write_block(writer, threads, next_random() % THREADS, i % 1000 == 999 ? 3000 : next_random() % 8,
			    is_known);
		if (i % 16 == 0)
			cr_assert_eq(mprof_writer_write_mark(writer, FIRST_THREAD, now, "here", 4), MPROF_OK);
		if (i % 50 == 0)
			cr_assert_eq(mprof_writer_write_thread_name(writer, FIRST_THREAD, "Main", 4), MPROF_OK);
		if (i % 60 == 0)
			cr_assert_eq(mprof_writer_write_watermark(writer, now), MPROF_OK);
	}
}

static void release_expected(void)
{
	for (size_t i = 0; i < expected_count; i++)
		free(expected[i].methods);
	free(expected);
	expected = NULL;
	expected_count = 0;
}

/* The stack of each thread in the last entry that had one. */
static calls last_stacks[THREADS];

static void check_stack(const index_item *item, size_t number)
{
	calls *last = &last_stacks[item->thread - FIRST_THREAD];
	const uint8_t *cursor = item->methods;

	cr_assert_lt(number, expected_count);
	cr_assert_eq(item->has_stack, expected[number].is_known, "block %zu", number);
	if (!item->has_stack)
		return;
	cr_assert_eq(item->depth, expected[number].depth, "block %zu", number);
	cr_assert_leq(item->shared, last->depth);
	last->depth = item->depth;
	for (size_t i = item->shared; i < item->depth; i++) {
		uint64_t method = 0;

		cursor = varint_get(cursor, item->methods + item->methods_length, &method);
		last->methods[i] = (uint32_t)method;
	}
	cr_assert_eq(memcmp(last->methods, expected[number].methods, item->depth * sizeof(uint32_t)), 0, "block %zu",
		     number);
}

typedef struct walk {
	mprof_reader *reader;
	const uint8_t *bytes;
	uint64_t next;   /* Offset of the block that the next entry describes. */
	uint64_t last;   /* Offset of the INDEX block before. */
	size_t indexes;  /* Number of INDEX blocks. */
	size_t events;   /* Number of EVENTS blocks that were checked. */
	uint64_t blocks; /* Number of blocks in all entries. */
} walk;

/* Compares an entry with the block that it describes. */
static void check_entry(walk *state, const index_item *item)
{
	mprof_block block = {.struct_size = sizeof(block)};
	uint64_t latest;
	mprof_event events[64];
	mprof_status status;
	size_t count;

	cr_assert_eq(mprof_reader_next_block(state->reader, &block), MPROF_OK);
	cr_assert_eq(block.offset, state->next);
	cr_assert_eq(block.code, item->code);
	cr_assert_eq(block.length, item->length);
	state->next += HEADER + item->length;
	state->blocks++;
	if (block.kind == MPROF_BLOCK_MARK)
		cr_assert_eq(item->start_counter, block.as.mark.counter);
	if (block.kind == MPROF_BLOCK_WATERMARK)
		cr_assert_eq(item->start_counter, block.as.watermark.counter);
	if (block.has_clocks && block.kind != MPROF_BLOCK_EVENTS) {
		cr_assert_eq(item->start_counter, block.start.counter);
		cr_assert_eq(item->end_counter, block.end.counter);
	}
	if (block.kind != MPROF_BLOCK_EVENTS)
		return;
	cr_assert_eq(item->thread, block.thread);
	cr_assert_eq(item->start_counter, block.as.events.base_counter);
	latest = item->start_counter;
	while ((status = mprof_reader_next_events(state->reader, events, 64, &count)) == MPROF_OK)
		latest = events[count - 1].counter;
	cr_assert_eq(status, MPROF_END, "%s", mprof_status_get_text(status));
	cr_assert_eq(item->end_counter, latest);
	check_stack(item, state->events++);
}

static void check_index(walk *state, const mprof_block *index)
{
	const uint8_t *content = state->bytes + index->offset + HEADER;
	index_cursor cursor;
	index_item item;

	/* The reader is after the INDEX block; the blocks that it describes come before it. */
	cr_assert_eq(mprof_reader_seek(state->reader, state->next), MPROF_OK);
	index_cursor_init(&cursor, dialect_get(MPROF_DIALECT_MPROF2), content, index->length - CHECKSUM);
	cr_assert_eq(cursor.previous, state->indexes > 0 ? index->offset - state->last : 0);
	cr_assert_eq(cursor.count, index->as.index.count);
	while (index_cursor_next(&cursor, &item))
		check_entry(state, &item);
	cr_assert_eq(content_cursor_finish(&cursor.content), MPROF_OK);
	cr_assert_eq(state->next, index->offset);
	memset(last_stacks, 0, sizeof(last_stacks));
	state->next += HEADER + index->length;
	state->last = index->offset;
	state->indexes++;
}

/* Checks the log. Returns the number of INDEX blocks. */
static size_t check_log(mprof_writer *writer)
{
	walk state = {0};
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_reader *reader;
	size_t length;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &state.bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(state.bytes, length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(state.bytes, length, NULL, &state.reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK && block.kind != MPROF_BLOCK_END) {
		if (block.kind == MPROF_BLOCK_INDEX)
			check_index(&state, &block);
	}
	cr_assert_eq(block.kind, MPROF_BLOCK_END);
	cr_assert_eq(block.offset, state.next);
	cr_assert_eq(block.as.end.index_distance, block.offset - state.last);
	cr_assert_eq(state.events, expected_count);
	mprof_reader_destroy(state.reader);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
	release_expected();
	return state.indexes;
}

static calls threads[THREADS];

Test(index, describes_each_block)
{
	for (uint32_t has_columns = 0; has_columns < 2; has_columns++) {
		mprof_writer *writer = open_log(has_columns);

		memset(threads, 0, sizeof(threads));
		define(writer);
		write_some(writer, 9000, 1, threads);
		cr_assert_geq(check_log(writer), 3);
	}
}

static void write_one(mprof_writer *writer, mprof_event event)
{
	cr_assert_eq(mprof_writer_begin_events(writer, FIRST_THREAD, now), MPROF_OK);
	expect_stack(&threads[0], 1);
	event.counter = now;
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

Test(index, has_no_call_stacks_after_switches_and_pauses)
{
	static const mprof_event events[] = {
		{.kind = MPROF_EVENT_STACK_SWITCH, .value = 5},
		{.kind = MPROF_EVENT_STACK_END, .value = 5},
		{.kind = MPROF_EVENT_RECORDING_RESUMED, .value = 100},
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		mprof_writer *writer = open_log(0);

		memset(threads, 0, sizeof(threads));
		define(writer);
		write_some(writer, 100, 1, threads);
		write_one(writer, events[i]);
		write_some(writer, 100, 0, threads);
		cr_assert_eq(check_log(writer), 1);
	}
}

Test(index, thread_that_starts_again_has_no_calls)
{
	const mprof_event other = {.kind = MPROF_EVENT_THREAD_START, .value = FIRST_THREAD + 1};
	const mprof_event copy = {.kind = MPROF_EVENT_THREAD_START, .value = FIRST_THREAD};
	mprof_writer *writer = open_log(0);

	memset(threads, 0, sizeof(threads));
	define(writer);
	write_some(writer, 100, 1, threads);
	write_one(writer, other);
	write_some(writer, 100, 1, threads);
	write_one(writer, copy);
	threads[0].depth = 0;
	write_some(writer, 100, 1, threads);
	cr_assert_eq(check_log(writer), 1);
}

Test(index, log_without_end_time_that_is_latest_has_none)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_writer *writer = open_log(0);
	const uint8_t *bytes;
	mprof_reader *reader;
	size_t length;

	define(writer);
	write_some(writer, 10, 1, threads);
	now = 500;
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		cr_assert_neq(block.kind, MPROF_BLOCK_INDEX);
	cr_assert_eq(block.kind, MPROF_BLOCK_END);
	cr_assert_eq(block.as.end.index_distance, 0);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
	release_expected();
}

Test(index, other_dialects_refuse_it)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = MPROF_DIALECT_MONO;
	options.has_index = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_UNSUPPORTED);
	mprof_writer_destroy(writer);
	options.has_index = 2;
	options.dialect = MPROF_DIALECT_MPROF2;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_ARGUMENT);
}
