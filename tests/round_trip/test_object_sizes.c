/* SPDX-License-Identifier: MIT */
/*
 * Object sizes that a log has only once, by class: which sizes are collected, when, and the sizes of events without
 * one.
 */
#include "parser/parser_fixture.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define SIZES MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)

/* The blocks of the log by index. */
enum { NUMBER_FIRST_CLASSES = 2, NUMBER_FIRST_EVENTS, NUMBER_MORE_CLASSES, NUMBER_MORE_EVENTS, NUMBER_OF_BLOCKS = 7 };

/* Dense and sparse IDs; sizes in one byte and in five. */
static const uint32_t first_ids[] = {1, 2, 3, 7, 31, 33, 1000, 70001, UINT32_MAX};
static const uint32_t more_ids[] = {41, 42, 70003};

#define FIRST_COUNT (sizeof(first_ids) / sizeof(first_ids[0]))
#define MORE_COUNT (sizeof(more_ids) / sizeof(more_ids[0]))

static uint32_t size_of(uint32_t id)
{
	return id == 3 ? UINT32_MAX : id % 15 * 8 + 8;
}

static void define(mprof_writer *writer, const uint32_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const mprof_class_definition definition = {
			sizeof(mprof_class_definition), ids[i], 0, "C", 1, size_of(ids[i]), 0};

		cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
	}
}

static void allocate(mprof_writer *writer, const uint32_t *ids, size_t count)
{
	cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
	for (size_t i = 0; i < count; i++) {
		mprof_event event;

		memset(&event, 0, sizeof(event));
		event.kind = MPROF_EVENT_ALLOCATION;
		event.id = ids[i];
		event.value = size_of(ids[i]);
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

static log_bytes close_log(mprof_writer *writer)
{
	return log_take(writer);
}

static mprof_writer *open_writer(void)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = SIZES;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	return writer;
}

static log_bytes make_log(void)
{
	mprof_writer *writer = open_writer();
	log_bytes log;

	define(writer, first_ids, FIRST_COUNT);
	allocate(writer, first_ids, FIRST_COUNT);
	define(writer, more_ids, MORE_COUNT);
	allocate(writer, more_ids, MORE_COUNT);
	log = close_log(writer);
	cr_assert_eq(log_block_count(&log), NUMBER_OF_BLOCKS);
	return log;
}

/* Expects a block of those allocations, whose header the parser has read. */
static void expect_allocations(mprof_parser *parser, const uint32_t *ids, size_t count)
{
	mprof_block block = fresh_block();
	mprof_event events[FIRST_COUNT];
	size_t read;

	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
	cr_assert_eq(mprof_parser_next_events(parser, events, FIRST_COUNT, &read), MPROF_OK, "%s",
		     parser_error_of(parser).what);
	cr_assert_eq(read, count);
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(events[i].kind, MPROF_EVENT_ALLOCATION);
		cr_assert_eq(events[i].id, ids[i]);
		cr_assert_eq(events[i].value, size_of(ids[i]));
	}
}

static void go_on_from(mprof_parser *parser, const log_bytes *log, size_t number)
{
	size_t offset = log_block_offset(log, number);

	cr_assert_eq(mprof_parser_restart(parser, offset), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log->bytes + offset, log->length - offset), MPROF_OK);
	mprof_parser_finish(parser);
}

/* Finds bytes in a block. */
static uint8_t *find(const log_bytes *log, size_t number, const char *bytes, size_t length)
{
	uint8_t *end = log->bytes + log_block_offset(log, number + 1);

	for (uint8_t *position = log->bytes + log_block_offset(log, number); position + length <= end; position++) {
		if (memcmp(position, bytes, length) == 0)
			return position;
	}
	cr_assert_fail("the bytes are not there");
	return NULL;
}

Test(object_sizes, are_left_out_of_events)
{
	log_bytes log = make_log();
	size_t length = log_block_offset(&log, NUMBER_MORE_CLASSES) - log_block_offset(&log, NUMBER_FIRST_EVENTS);

	/* A byte and a varint for each. */
	cr_assert_leq(length, 70 + 2 * FIRST_COUNT + 5 + 2 + 2);
	log_free(&log);
}

Test(object_sizes, are_collected_from_skipped_blocks)
{
	log_bytes log = make_log();
	mprof_parser *parser = open_fed(&log);

	go_to(parser, NUMBER_FIRST_EVENTS);
	expect_allocations(parser, first_ids, FIRST_COUNT);
	go_to(parser, NUMBER_MORE_EVENTS - NUMBER_FIRST_EVENTS - 1);
	expect_allocations(parser, more_ids, MORE_COUNT);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(object_sizes, survive_restarts)
{
	log_bytes log = make_log();
	mprof_parser *parser = open_fed(&log);

	go_to(parser, NUMBER_OF_BLOCKS - 1);
	go_on_from(parser, &log, NUMBER_MORE_EVENTS);
	go_to(parser, 0);
	expect_allocations(parser, more_ids, MORE_COUNT);
	go_on_from(parser, &log, NUMBER_FIRST_EVENTS);
	go_to(parser, 0);
	expect_allocations(parser, first_ids, FIRST_COUNT);
	/* The same definitions are read once more. */
	go_on_from(parser, &log, NUMBER_FIRST_CLASSES);
	go_to(parser, 1);
	expect_allocations(parser, first_ids, FIRST_COUNT);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(object_sizes, that_are_not_known)
{
	log_bytes log = make_log();
	mprof_parser *parser = open_fed(&log);
	mprof_block block = fresh_block();
	mprof_event event;
	size_t count;

	go_to(parser, NUMBER_FIRST_CLASSES); /* This block is not loaded. */
	go_on_from(parser, &log, NUMBER_FIRST_EVENTS);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_MALFORMED);
	cr_assert_eq(count, 0);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK,
		     (uint64_t)(find(&log, NUMBER_FIRST_EVENTS, "\x08\x80\x10\x80", 4) - log.bytes));
	cr_assert_str_eq(parser_error_of(parser).what,
			 "the event omits the object size, and its class does not define one");
	/* Other sizes are known. */
	go_to(parser, 1);
	expect_allocations(parser, more_ids, MORE_COUNT);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(object_sizes, of_a_damaged_block)
{
	log_bytes log = make_log();
	log_digest digest;

	log.bytes[log_block_offset(&log, NUMBER_FIRST_EVENTS) - 1] ^= 1;
	log_digest_parse(&digest, &log, 0, NULL);
	cr_assert_eq(digest.first.status, MPROF_ERR_CHECKSUM);
	cr_assert_eq(digest.faults, 2, "the block and the EVENTS block that needs it");
	cr_assert_eq(digest.events, MORE_COUNT);
	cr_assert_eq(digest.last, MPROF_END);
	log_free(&log);
}

Test(object_sizes, of_two_definitions_the_first_stays)
{
	log_bytes log = make_log();
	mprof_parser *parser;
	mprof_reader *reader;
	mprof_block block = fresh_block();
	mprof_mapping mapping;
	mprof_event event;
	mprof_status status = MPROF_OK;
	size_t count;

	/* Class 41 becomes a second definition of class 1, and the next allocation one of class 1. */
	cr_assert_neq(size_of(1), size_of(41));
	*find(&log, NUMBER_MORE_CLASSES, "\xa9\xe0\x43", 3) = 0x81;
	memcpy(find(&log, NUMBER_MORE_EVENTS, "\x48\x81", 2), "\x08\x80", 2);
	log_sign_block(&log, NUMBER_MORE_CLASSES);
	log_sign_block(&log, NUMBER_MORE_EVENTS);
	parser = open_fed(&log);
	go_to(parser, NUMBER_MORE_EVENTS);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
	cr_assert_eq(event.id, 1);
	cr_assert_eq(event.value, size_of(1));
	mprof_parser_destroy(parser);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	while (status == MPROF_OK)
		status = mprof_reader_next_block(reader, &block);
	cr_assert_eq(status, MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(mprof_reader_lookup_class(reader, 1, &mapping, sizeof(mapping)), MPROF_OK);
	cr_assert_eq(mapping.size, size_of(1));
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(object_sizes, beyond_32_bits)
{
	log_bytes log = make_log();
	mprof_parser *parser;
	mprof_block block = fresh_block();
	uint8_t *size = find(&log, NUMBER_FIRST_CLASSES, "\x7f\x7f\x7f\x7f\x8f\x43", 6);

	size[4] = 0x90;
	log_sign_block(&log, NUMBER_FIRST_CLASSES);
	parser = open_fed(&log);
	go_to(parser, NUMBER_FIRST_CLASSES);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK, (uint64_t)(size - log.bytes));
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(object_sizes, are_no_part_of_a_log_without_the_directive)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_parser *parser = open_fed(&log);
	mprof_block block = go_to(parser, NUMBER_EVENTS - 1);
	uint64_t first = log_block_offset(&log, NUMBER_EVENTS - 1) + 6;
	mprof_event event;
	size_t count;

	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
	while (log.bytes[first] != event.code)
		first++;
	mprof_parser_destroy(parser);
	log.bytes[first] = 0x08;
	log_sign_block(&log, NUMBER_EVENTS - 1);
	parser = open_fed(&log);
	go_to(parser, NUMBER_EVENTS - 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_MALFORMED);
	cr_assert_str_eq(parser_error_of(parser).what, "invalid event code");
	mprof_parser_destroy(parser);
	log_free(&log);
}

static log_bytes make_log_of_many_classes(uint32_t count, uint32_t gap)
{
	mprof_writer *writer = open_writer();

	for (uint32_t i = 1; i <= count; i++) {
		const mprof_class_definition definition = {sizeof(mprof_class_definition), i * gap, 0, "", 0, i, 0};

		cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
	}
	return close_log(writer);
}

static size_t most_memory(const log_bytes *log)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	mprof_parser_options options;
	log_digest digest;

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	log_digest_parse(&digest, log, 0, &options);
	cr_assert_eq(digest.last, MPROF_END);
	cr_assert_eq(digest.faults, 0);
	cr_assert_eq(memory.blocks, 0);
	return memory.most_bytes;
}

Test(object_sizes, memory_follows_the_log)
{
	static const uint32_t gaps[] = {1, 7, 40, 429496, 42949672};

	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		log_bytes log = make_log_of_many_classes(i == 4 ? 100 : 10000, gaps[i]);

		cr_assert_leq(most_memory(&log), log.length * 30 + 100000, "gaps of %u", (unsigned)gaps[i]);
		log_free(&log);
	}
}

/* If memory for the definitions of a block is refused, the block is not loaded. */
static void read_sizes(const log_bytes *log, failing_allocator *memory)
{
	mprof_allocator allocator = failing_allocator_interface(memory);
	mprof_block block = fresh_block();
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_status status;

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	status = mprof_parser_create(&options, &parser);
	if (status == MPROF_OK)
		status = mprof_parser_feed(parser, log->bytes, log->length);
	if (status == MPROF_OK)
		mprof_parser_finish(parser);
	while (status == MPROF_OK) {
		status = mprof_parser_next_block(parser, &block);
		if (status == MPROF_ERR_MEMORY)
			cr_assert_eq(block.loaded, 0);
	}
	cr_assert_eq(status, memory->refused == 0 ? MPROF_END : MPROF_ERR_MEMORY);
	mprof_parser_destroy(parser);
	cr_assert_eq(memory->blocks, 0);
}

Test(object_sizes, no_memory)
{
	log_bytes log = make_log_of_many_classes(1000, 100003);
	failing_allocator memory;
	size_t fail_at = 0;

	do {
		memory = (failing_allocator){.fail_at = ++fail_at, .fail_once = 1};
		read_sizes(&log, &memory);
	} while (memory.refused > 0);
	cr_assert_gt(fail_at, 5);
	log_free(&log);
}

/*
 * Defines classes and allocates an object of the class whose size was refused. Returns the code of the event, 0 without
 * one.
 */
static uint8_t allocate_what_was_refused(mprof_writer *writer)
{
	mprof_event event = {.kind = MPROF_EVENT_ALLOCATION, .value = 24};
	mprof_block block = fresh_block();
	mprof_reader *reader;
	const uint8_t *bytes;
	size_t length;

	for (uint32_t i = 1; i <= 100; i++) {
		mprof_class_definition definition = {
			sizeof(mprof_class_definition), i % 2 == 0 ? i : i * 100003, 0, "C", 1, 24, 0};

		if (mprof_writer_define_class(writer, &definition) == MPROF_OK)
			continue;
		definition.size = 0;
		event.id = definition.id;
		cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
	}
	if (event.id == 0 || mprof_writer_begin_events(writer, 1, 0) != MPROF_OK)
		return 0;
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	while (block.kind != MPROF_BLOCK_EVENTS)
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(mprof_reader_next_events(reader, &event, 1, &length), MPROF_OK);
	mprof_reader_destroy(reader);
	cr_assert_eq(event.value, 24);
	return event.code;
}

/* A refused definition leaves no size for a class that is then defined without one. */
Test(object_sizes, no_memory_to_define)
{
	size_t refused = 0;

	for (size_t fail_at = 1;; fail_at++) {
		failing_allocator memory = {.fail_at = fail_at, .fail_once = 1};
		mprof_allocator allocator = failing_allocator_interface(&memory);
		mprof_writer_options options;
		mprof_writer *writer;
		uint8_t code;

		mprof_writer_options_init(&options, sizeof(options));
		options.directives.bits[0] = SIZES;
		options.allocator = &allocator;
		while (mprof_writer_open_memory(&options, &writer) == MPROF_ERR_MEMORY)
			continue;
		code = allocate_what_was_refused(writer);
		cr_assert(code == 0 || (code & 7) == 4, "code %02x", code);
		refused += code != 0;
		(void)mprof_writer_destroy(writer);
		cr_assert_eq(memory.blocks, 0);
		if (memory.refused == 0)
			break;
	}
	cr_assert_gt(refused, 5);
}

/* A reader that wants only events, and one that seeks back. */
Test(object_sizes, are_known_to_readers)
{
	log_bytes log = make_log();
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_mapping mapping;
	log_digest digest;
	log_digest again;

	mprof_reader_options_init(&options, sizeof(options));
	options.wanted.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	log_digest_read(&digest, reader);
	cr_assert_eq(digest.faults, 0);
	cr_assert_eq(digest.events, FIRST_COUNT + MORE_COUNT);
	cr_assert_eq(mprof_reader_seek(reader, log_block_offset(&log, NUMBER_MORE_EVENTS)), MPROF_OK);
	log_digest_read(&again, reader);
	cr_assert_eq(again.faults, 0);
	cr_assert_eq(again.events, MORE_COUNT);
	for (size_t i = 0; i < FIRST_COUNT; i++) {
		cr_assert_eq(mprof_reader_lookup_class(reader, first_ids[i], &mapping, sizeof(mapping)), MPROF_OK);
		cr_assert_eq(mapping.size, size_of(first_ids[i]));
	}
	mprof_reader_destroy(reader);
	log_free(&log);
}
