/* SPDX-License-Identifier: MIT */
/* Hits and heap snapshots of Mono's own writers through a parser, and the state that it keeps for later blocks. */
#include "parser_fixture.h"

#include "base/bytes.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* Codes of blocks in drop, mono and unity. */
enum { CODE_END = 2, CODE_MAPPING = 3, CODE_STATISTICAL = 7, CODE_HEAP = 8 };

/* A log of mono or drop to which blocks are appended. */
typedef struct log_builder {
	uint8_t bytes[2048];
	size_t length;
	size_t header_length;
} log_builder;

static void put_block(log_builder *log, uint32_t code, const char *content, size_t length)
{
	uint8_t *header = log->bytes + log->length;

	cr_assert_leq(log->length + log->header_length + length, sizeof(log->bytes));
	memset(header, 0, log->header_length);
	bytes_store_16(header, (uint16_t)code);
	bytes_store_32(header + 2, (uint32_t)length);
	memcpy(header + log->header_length, content, length);
	log->length += log->header_length + length;
}

#define PUT(log, code, content) put_block(log, code, content, sizeof(content) - 1)

static log_builder log_begin(size_t header_length)
{
	log_builder log = {.header_length = header_length};

	PUT(&log, 1, "\x81\x00\x80\x81\x81");
	return log;
}

static mprof_parser *open_log(const log_builder *log)
{
	const log_bytes bytes = {(uint8_t *)(uintptr_t)log->bytes, log->length};

	return open_fed(&bytes);
}

static mprof_block next_of(mprof_parser *parser, mprof_block_kind kind)
{
	mprof_block block = fresh_block();

	do
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK, "%s", parser_error_of(parser).what);
	while (block.kind != kind);
	return block;
}

#define START "\x81\x81"
#define END "\x82\x82"

/*
 * Frames and definitions are fetched independently, in batches of any size, and again after the block was loaded again.
 */
Test(parser_forms, hits_and_records)
{
	log_builder log = log_begin(10);
	mprof_parser *parser;
	mprof_block block;

	PUT(&log, CODE_STATISTICAL,
	    START "\x91\x95\x89\x87\x80\x81\x90\xa0\x83"
		  "a\x00\x80\x8b\x81"
		  "f\x00\x8a\x80" END);
	parser = open_log(&log);
	block = next_of(parser, MPROF_BLOCK_STATISTICAL);
	cr_assert_eq(block.has_clocks, 1);
	cr_assert_eq(block.as.statistical.start_counter, 1);
	cr_assert_eq(block.as.statistical.end_counter, 2);
	cr_assert_eq(block.end.time, 2);
	for (int pass = 0; pass < 2; pass++) {
		static const uint32_t flags[] = {0, MPROF_EVENT_FLAG_CALLER,
						 MPROF_EVENT_FLAG_CALLER | MPROF_EVENT_FLAG_NATIVE,
						 MPROF_EVENT_FLAG_NATIVE};
		static const uint32_t ids[] = {2, 1, 1, 1};
		mprof_event event;
		mprof_record records[3];
		size_t count;

		for (size_t i = 0; i < 4; i++) {
			cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
			cr_assert_eq(event.kind, MPROF_EVENT_SAMPLE);
			cr_assert_eq(event.flags, flags[i], "event %zu", i);
			cr_assert_eq(event.id, ids[i], "event %zu", i);
			cr_assert_eq(event.counter, 1);
			cr_assert_null(event.more.detail);
			if (i == 1) {
				cr_assert_eq(mprof_parser_next_records(parser, records, sizeof(*records), 3, &count),
					     MPROF_OK);
				cr_assert_eq(count, 2);
				cr_assert_eq(records[0].kind, MPROF_RECORD_MODULE);
				cr_assert_eq(records[0].as.module.address, 16);
				cr_assert_eq(records[0].as.module.size, 32);
				cr_assert_eq(records[0].as.module.file_offset, 3);
				cr_assert_str_eq(records[0].as.module.file, "a");
				cr_assert_eq(records[1].kind, MPROF_RECORD_FUNCTION);
				cr_assert_eq(records[1].as.function.module, 1);
			}
		}
		cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_END);
		cr_assert_eq(count, 0);
		cr_assert_eq(mprof_parser_next_records(parser, records, sizeof(*records), 3, &count), MPROF_END);
		cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	}
	mprof_parser_destroy(parser);
}

/* The number of hits of a function is in the event detail. */
Test(parser_forms, counted_hits)
{
	log_builder log = log_begin(10);
	mprof_parser *parser;
	mprof_event events[3];
	size_t count;

	PUT(&log, CODE_STATISTICAL,
	    START "\x8a\x80"
		  "f\x00\x85\x89\x8a\x83\x80" END);
	/* The form is known to be "counted": this block alone would be a hit of a function and one of unknown code. */
	PUT(&log, CODE_STATISTICAL, START "\x8a\x81\x80" END);
	parser = open_log(&log);
	next_of(parser, MPROF_BLOCK_STATISTICAL);
	cr_assert_eq(mprof_parser_next_events(parser, events, 3, &count), MPROF_OK);
	cr_assert_eq(count, 3);
	cr_assert_eq(events[0].more.detail->samples, 5);
	cr_assert_null(events[1].more.detail);
	cr_assert_eq(events[2].more.detail->samples, 3);
	next_of(parser, MPROF_BLOCK_STATISTICAL);
	cr_assert_eq(mprof_parser_next_events(parser, events, 3, &count), MPROF_OK);
	cr_assert_eq(count, 1);
	cr_assert_eq(events[0].more.detail->samples, 1);
	mprof_parser_destroy(parser);
}

/* A log that looks like mono turns out to be unity at the first call stack that precedes its hit. */
Test(parser_forms, unity)
{
	log_builder log = log_begin(10);
	mprof_parser *parser;

	PUT(&log, CODE_STATISTICAL, START "\x80" END);
	PUT(&log, CODE_STATISTICAL, START "\x8d\x91\x89\x80" END);
	PUT(&log, CODE_STATISTICAL, START "\x91\x8d\x89\x80" END);
	parser = open_log(&log);
	next_of(parser, MPROF_BLOCK_STATISTICAL);
	cr_assert_eq(mprof_parser_get_dialect(parser), MPROF_DIALECT_MONO);
	for (int i = 0; i < 2; i++) {
		mprof_event events[3];
		size_t count;

		next_of(parser, MPROF_BLOCK_STATISTICAL);
		cr_assert_eq(mprof_parser_get_dialect(parser), MPROF_DIALECT_UNITY);
		cr_assert_eq(mprof_parser_next_events(parser, events, 3, &count), MPROF_OK);
		cr_assert_eq(count, 2);
		cr_assert_eq(events[0].id, 2);
		cr_assert_eq(events[1].id, 1);
		cr_assert_eq(events[1].flags, MPROF_EVENT_FLAG_CALLER);
	}
	mprof_parser_destroy(parser);
}

/* In drop, hits of methods alone can be decoded in two forms. Defined methods determine the form, which is kept. */
Test(parser_forms, drop_by_known_methods)
{
	log_builder log = log_begin(6);
	mprof_parser *parser;

	PUT(&log, CODE_STATISTICAL, START "\x89\x80" END);
	PUT(&log, CODE_MAPPING,
	    START "\x87\x81"
		  "C\x00\x80\x81\x81"
		  "m\x00\x80" END);
	PUT(&log, CODE_STATISTICAL, START "\x89\x80" END);
	PUT(&log, CODE_MAPPING,
	    START "\x87\x80\x82\x81"
		  "n\x00\x80" END);
	PUT(&log, CODE_STATISTICAL, START "\x89\x80" END);
	parser = open_log(&log);
	for (uint32_t i = 0; i < 3; i++) {
		mprof_event event;
		size_t count;

		next_of(parser, MPROF_BLOCK_STATISTICAL);
		cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
		cr_assert_eq(event.id, i == 0 ? 2 : 1);
	}
	mprof_parser_destroy(parser);
}

/* A block that cannot be decoded is skipped. */
Test(parser_forms, damaged_blocks)
{
	log_builder log = log_begin(10);
	mprof_parser *parser;
	mprof_block block = fresh_block();
	mprof_event event;
	mprof_record record;
	size_t count;

	PUT(&log, CODE_STATISTICAL, START "\x8e\x80" END);
	PUT(&log, CODE_HEAP, START START "\x89" START "\x83" END);
	PUT(&log, CODE_END, "\x81\x82\x83");
	parser = open_log(&log);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK, 15 + 10 + 2);
	cr_assert_eq(block.kind, MPROF_BLOCK_STATISTICAL);
	cr_assert_eq(block.loaded, 0);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_STATE);
	cr_assert_eq(mprof_parser_next_records(parser, &record, sizeof(record), 1, &count), MPROF_ERR_STATE);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK, 15 + 16 + 10 + 7);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_END);
	cr_assert_eq(mprof_parser_is_complete(parser), 0);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), 15);
	mprof_parser_destroy(parser);
}

/* The form of one snapshot is kept for later ones that fit several forms. */
Test(parser_forms, heap_form_is_kept)
{
	log_builder log = log_begin(6);
	mprof_parser *parser;
	mprof_block block;
	mprof_event event;
	size_t count;

	PUT(&log, CODE_HEAP, START START "\x8a\x90\x80\x8b\x91");
	PUT(&log, CODE_HEAP, START START "\x01\xa0\x84\x90\x80\x80" END);
	PUT(&log, CODE_HEAP, START START "\x8a\x90\x80\x8b\x91");
	parser = open_log(&log);
	block = next_of(parser, MPROF_BLOCK_HEAP_DATA);
	cr_assert_eq(block.start.counter, 10, "taken for a CLOCK");
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_END);
	block = next_of(parser, MPROF_BLOCK_HEAP_DATA);
	cr_assert_eq(block.as.heap_data.flags, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
	cr_assert_eq(event.id, 4);
	cr_assert_eq(event.value, 16);
	cr_assert_eq(event.more.detail->object, 0x1000);
	block = next_of(parser, MPROF_BLOCK_HEAP_DATA);
	cr_assert_eq(block.start.counter, 1, "there is none");
	cr_assert_eq(block.as.heap_data.flags, 0);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
	cr_assert_eq(event.kind, MPROF_EVENT_HEAP_FREE);
	cr_assert_eq(event.more.detail->object, 0);
	mprof_parser_destroy(parser);
}

/* If the form is known, objects before an error are returned. */
Test(parser_forms, heap_fault_is_found_late)
{
	log_builder log = log_begin(10);
	mprof_parser *parser;
	mprof_block block;
	mprof_event events[4];
	size_t count;

	PUT(&log, 10, START "\x84\x80" END);
	PUT(&log, CODE_HEAP, START START "\x89" START "\x01\xa0\x84\x90\x80\x8a\x90\x83\x80" END);
	PUT(&log, CODE_HEAP, START START "\x89" START "\x8a\x90\x83\x80" END);
	PUT(&log, CODE_END, "\x81\x82\x83");
	parser = open_log(&log);
	block = next_of(parser, MPROF_BLOCK_HEAP_DATA);
	cr_assert_eq(mprof_parser_next_events(parser, events, 4, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	cr_assert_eq(mprof_parser_next_events(parser, events, 4, &count), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK, block.offset + 10 + 7 + 7);
	/* Without objects, all items were checked when the block was loaded. */
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK, block.offset + 10 + 7 + 2);
	next_of(parser, MPROF_BLOCK_END);
	mprof_parser_destroy(parser);
}

/* The log ends inside a snapshot: its complete items can be fetched. */
Test(parser_forms, heap_cut)
{
	log_builder log = log_begin(10);
	mprof_parser *parser;
	mprof_block block = fresh_block();
	mprof_event events[4];
	size_t count;

	PUT(&log, CODE_HEAP, START START "\x89" START "\x01\xa0\x84\x90\x80\x8a\x90\x80" END);
	log.length -= 4;
	parser = open_log(&log);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_TRUNCATED);
	expect_error(parser, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL, log.length);
	cr_assert_eq(block.loaded, 1);
	cr_assert_eq(block.as.heap_data.number, 9);
	cr_assert_eq(block.as.heap_data.flags, MPROF_HEAP_FLAG_FIRST);
	cr_assert_eq(block.has_clocks, 0);
	cr_assert_eq(mprof_parser_next_events(parser, events, 4, &count), MPROF_OK);
	cr_assert_eq(count, 1);
	cr_assert_eq(mprof_parser_next_events(parser, events, 4, &count), MPROF_ERR_TRUNCATED);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), 15);
	mprof_parser_destroy(parser);
}

/* An unknown directive may have added a field to blocks of these kinds, and to no others. */
Test(parser_forms, unknown_directive)
{
	static const uint32_t codes[] = {CODE_MAPPING, 4, 5, 6};
	log_builder log = log_begin(10);
	mprof_parser *parser;
	mprof_block block = fresh_block();

	PUT(&log, 10, START "\x81\x84\x87\x80" END);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		PUT(&log, codes[i], "\x81");
	PUT(&log, CODE_STATISTICAL, START "\x89\x80" END);
	parser = open_log(&log);
	block = next_of(parser, MPROF_BLOCK_DIRECTIVES);
	cr_assert_eq(block.as.directives.declared.bits[0], MPROF_DIRECTIVE_BIT(1) | MPROF_DIRECTIVE_BIT(4));
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_UNSUPPORTED, "code %u", codes[i]);
		cr_assert_eq(block.code, codes[i]);
		cr_assert_eq(parser_error_of(parser).severity, MPROF_SEVERITY_BLOCK);
	}
	next_of(parser, MPROF_BLOCK_STATISTICAL);
	mprof_parser_destroy(parser);
}

/* Another log after the first one, as a fork for Unity appended it. */
Test(parser_forms, second_log)
{
	log_builder log = log_begin(10);
	mprof_parser *parser;
	mprof_block block = fresh_block();

	PUT(&log, 1, "\x81\x00\x80\x81\x81");
	parser = open_log(&log);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_FATAL, 15);
	cr_assert_not_null(strstr(parser_error_of(parser).what, "another log was appended"));
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), 15);
	mprof_parser_destroy(parser);
}
