/* SPDX-License-Identifier: MIT */
/* Memory depends on the definitions of a log and not on its length, and blocks stay short enough for readers. */
#include "convert_fixture.h"
#include "logs/begin_copy.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define BLOCK_EVENTS 5000

/* Bytes of a log that are generated while they are read: a log of any length needs no memory. */
typedef struct endless_log {
	log_bytes start; /**< INTRO up to the first repeated block. */
	log_bytes again; /**< The blocks that are repeated. */
	uint64_t times;
	log_bytes end;
	uint64_t position;
} endless_log;

static uint64_t length_of(const endless_log *log)
{
	return log->start.length + log->times * log->again.length + log->end.length;
}

/* The bytes at an offset, and the number of contiguous ones. */
static const uint8_t *bytes_at(const endless_log *log, uint64_t position, size_t *length)
{
	if (position < log->start.length) {
		*length = log->start.length - (size_t)position;
		return log->start.bytes + position;
	}
	position -= log->start.length;
	if (position < log->times * log->again.length) {
		*length = log->again.length - (size_t)(position % log->again.length);
		return log->again.bytes + position % log->again.length;
	}
	position -= log->times * log->again.length;
	*length = log->end.length - (size_t)position;
	return log->end.bytes + position;
}

static int read_endless(void *user, void *bytes, size_t length, size_t *got)
{
	endless_log *log = user;
	size_t there = 0;
	const uint8_t *from;

	*got = 0;
	if (log->position == length_of(log))
		return 0;
	from = bytes_at(log, log->position, &there);
	*got = there < length ? there : length;
	memcpy(bytes, from, *got);
	log->position += *got;
	return 0;
}

static void count_clock(void *user, mprof_clock *clock)
{
	clock->counter = ++*(uint64_t *)user * 1000;
	clock->time = *(uint64_t *)user;
}

static void write_block(mprof_writer *writer, uint64_t thread)
{
	static const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .stack = 3};
	uint64_t counter = thread * 100000;

	cr_assert_eq(mprof_writer_begin_events(writer, thread, counter), MPROF_OK);
	for (uint32_t i = 0; i < BLOCK_EVENTS; i++) {
		mprof_event event = {.kind = MPROF_EVENT_METHOD_ENTER, .id = i % 7 + 1, .counter = ++counter};

		if (i % 3 == 1)
			event.kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		if (i % 3 == 2) {
			event.kind = MPROF_EVENT_ALLOCATION;
			event.id = 1;
			event.value = 24;
			event.more.detail = &detail;
		}
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

static void define(mprof_writer *writer)
{
	mprof_record stacks[3];

	cr_assert_eq(mprof_writer_define_class(writer,
					       &(mprof_class_definition){.struct_size = sizeof(mprof_class_definition),
									 .id = 1,
									 .name = "C",
									 .name_length = 1}),
		     MPROF_OK);
	for (uint32_t id = 1; id < 8; id++) {
		const mprof_method_definition definition = {
			.struct_size = sizeof(mprof_method_definition), .id = id, .name = "M ()", .name_length = 4};

		cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_OK);
	}
	memset(stacks, 0, sizeof(stacks));
	for (uint32_t i = 0; i < 3; i++) {
		stacks[i].kind = MPROF_RECORD_STACK;
		stacks[i].id = i + 1;
		stacks[i].as.stack.caller = i;
		stacks[i].as.stack.target = i + 1;
	}
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(*stacks), 3), MPROF_OK);
}

static log_bytes part_of(const mprof_writer *writer, size_t from)
{
	const uint8_t *bytes;
	log_bytes part;
	size_t length;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	part.length = length - from;
	part.bytes = malloc(part.length);
	memcpy(part.bytes, bytes + from, part.length);
	return part;
}

static endless_log make_endless(uint64_t times)
{
	endless_log log = {.times = times};
	uint64_t clock_calls = 0;
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.clock = count_clock;
	options.clock_user = &clock_calls;
	options.directives.bits[0] = FIXTURE_ALL_DIRECTIVES;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	define(writer);
	log.start = part_of(writer, 0);
	for (uint64_t thread = 1; thread <= THREADS; thread++)
		write_block(writer, thread);
	log.again = part_of(writer, log.start.length);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	log.end = part_of(writer, log.start.length + log.again.length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	return log;
}

static int forget(void *user, const void *bytes, size_t length)
{
	(void)bytes;
	*(uint64_t *)user += length;
	return 0;
}

/* Peak memory of a copy, including that of the reader and the writer. */
static size_t most_memory(uint64_t times, mprof_dialect dialect)
{
	endless_log log = make_endless(times);
	failing_allocator state = {0};
	mprof_allocator allocator = failing_allocator_interface(&state);
	const mprof_source source = {sizeof(mprof_source), read_endless, NULL, NULL, &log, NULL};
	uint64_t written = 0;
	const mprof_sink sink = {sizeof(mprof_sink), forget, NULL, NULL, &written};
	mprof_reader_options reader_options;
	mprof_writer_options options;
	mprof_converter *converter;
	mprof_reader *reader;
	mprof_writer *writer;

	mprof_reader_options_init(&reader_options, sizeof(reader_options));
	reader_options.allocator = &allocator;
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = dialect;
	options.lossy = 1;
	options.allocator = &allocator;
	cr_assert_eq(mprof_reader_open_source(&source, &reader_options, &reader), MPROF_OK);
	cr_assert_eq(begin_copy(reader, &options, &converter), MPROF_OK);
	cr_assert_eq(mprof_writer_open_sink(&sink, &options, &writer), MPROF_OK);
	cr_assert_eq(mprof_converter_run(converter, writer, NULL, NULL), MPROF_OK);
	cr_assert_gt(written, times * THREADS * BLOCK_EVENTS);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	cr_assert_eq(state.blocks, 0);
	log_free(&log.start);
	log_free(&log.again);
	log_free(&log.end);
	return state.most_bytes;
}

Test(convert_memory, does_not_follow_the_length_of_a_log)
{
	for (uint32_t dialect = MPROF_DIALECT_MAIL; dialect <= MPROF_DIALECT_MPROF2; dialect++)
		cr_expect_eq(most_memory(20, (mprof_dialect)dialect), most_memory(2, (mprof_dialect)dialect), "%s",
			     mprof_dialect_get_name(dialect));
}

/* The same from the dialect with stack sections, each block of which is decoded twice. */
Test(convert_memory, a_block_that_grows_is_cut)
{
	/* Each event has a call stack of 3000 frames that shares no frame with the one before it. */
	const uint32_t depth = 3000;
	const uint32_t events = 4000;
	mprof_record *stacks = calloc(2 * depth, sizeof(*stacks));
	mprof_writer_options options;
	mprof_writer *writer;
	conversion created;
	log_bytes log;
	mprof_reader *reader;
	mprof_block block = {.struct_size = sizeof(block)};
	uint64_t event_blocks = 0;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = FIXTURE_ALL_DIRECTIVES;
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (uint32_t i = 0; i < 2 * depth; i++) {
		stacks[i].kind = MPROF_RECORD_STACK;
		stacks[i].id = i + 1;
		stacks[i].as.stack.caller = i % depth == 0 ? 0 : i;
		stacks[i].as.stack.target = 1000000 + i;
	}
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(*stacks), 2 * depth),
		     MPROF_OK);
	free(stacks);
	cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
	for (uint32_t i = 0; i < events; i++) {
		const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
						   .stack = depth * (1 + i % 2)};
		const mprof_event event = {
			.kind = MPROF_EVENT_ALLOCATION, .id = 1, .value = 24, .more.detail = &detail};

		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	log = part_of(writer, 0);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	created = convert(&log, MPROF_DIALECT_MONO);
	cr_assert_eq(created.status, MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(created.log.bytes, created.log.length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		event_blocks += block.kind == MPROF_BLOCK_EVENTS;
	cr_assert_gt(created.log.length, (size_t)32 << 20);
	cr_assert_gt(event_blocks, 1);
	cr_assert(reader_error_of(reader).status == MPROF_OK, "every block is short enough to be read");
	mprof_reader_destroy(reader);
	log_free(&created.log);
	log_free(&log);
}
