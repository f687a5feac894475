/* SPDX-License-Identifier: MIT */
/* The contract of the parser: the result of each call in each state. */
#include "parser_fixture.h"

#include "base/failing_allocator.h"
#include "base/bytes.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

Test(parser, create)
{
	mprof_parser_options options;
	mprof_parser *parser;

	mprof_parser_options_init(&options, sizeof(options));
	options.ignore_checksums = 2;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_ERR_ARGUMENT);
	cr_assert_null(parser);
	mprof_parser_options_init(&options, sizeof(options));
	options.reserved = 1;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_ERR_ARGUMENT);
	options.struct_size = 3;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_ERR_ARGUMENT);
	mprof_parser_destroy(NULL);
}

Test(parser, nothing_fed)
{
	mprof_parser *parser = open_parser();
	mprof_block block = fresh_block();

	cr_assert_eq(mprof_parser_get_needed(parser), 0);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_AGAIN);
	cr_assert_gt(mprof_parser_get_needed(parser), 0);
	cr_assert_eq(mprof_parser_feed(parser, NULL, 0), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_AGAIN);
	cr_assert_eq(mprof_parser_get_dialect(parser), MPROF_DIALECT_DEFAULT);
	cr_assert_eq(mprof_parser_get_skippable(parser), 0);
	cr_assert_eq(mprof_parser_restart(parser, 0), MPROF_ERR_STATE);
	mprof_parser_finish(parser);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_ERR_NOT_MPROF);
	cr_assert_str_eq(parser_error_of(parser).what, "the file is empty");
	cr_assert_eq(mprof_parser_is_complete(parser), 0);
	mprof_parser_destroy(parser);
}

Test(parser, whole_log)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser = open_fed(&log);
	mprof_block block;
	size_t number = 0;

	for (;; number++) {
		mprof_status status;

		block = fresh_block();
		status = mprof_parser_next_block(parser, &block);
		if (status == MPROF_END)
			break;
		cr_assert_eq(status, MPROF_OK, "%s", parser_error_of(parser).what);
		cr_assert_eq(block.offset, log_block_offset(&log, number));
		cr_assert_eq(block.header_length, 6);
		cr_assert_eq(block.loaded, 1);
		cr_assert_eq(mprof_parser_get_valid_bytes(parser), block.offset + 6 + block.length);
		cr_assert_eq(mprof_parser_get_dialect(parser), MPROF2);
	}
	cr_assert_eq(number, log_block_count(&log));
	cr_assert_eq(mprof_parser_is_complete(parser), 1);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), log.length);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_END);
	cr_assert_eq(parser_error_of(parser).status, MPROF_OK);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser, states)
{
	log_bytes log = log_make(MAIL, 0);
	mprof_parser *parser = open_fed(&log);
	mprof_block block = fresh_block();
	mprof_event event;
	mprof_mapping mapping;
	const char *key;
	const char *value;
	size_t count = 9;

	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_STATE);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_STATE);
	cr_assert_eq(count, 0);
	cr_assert_eq(mprof_parser_next_mappings(parser, &mapping, sizeof(mapping), 1, &count), MPROF_ERR_STATE);
	cr_assert_eq(mprof_parser_next_property(parser, &key, &value), MPROF_ERR_STATE);
	cr_assert_eq(mprof_parser_feed(parser, "", 1), MPROF_ERR_STATE);
	cr_assert_eq(parser_error_of(parser).severity, MPROF_SEVERITY_NONE);
	expect_next_header(parser, MPROF_BLOCK_INTRO, &block);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_STATE);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_str_eq(block.as.intro.runtime, "fixture");
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_STATE);
	block.struct_size = 0;
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_ARGUMENT);
	block = go_to(parser, NUMBER_EVENTS - 2);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_STATE, "not loaded yet");
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 0, &count), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
	cr_assert_eq(count, 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK, "from the first event again");
	for (size_t i = 0; i < FIXTURE_BLOCK_EVENTS; i++)
		cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_END);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_END);
	cr_assert_eq(mprof_parser_is_complete(parser), 0);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* A caller that was compiled with a header with fewer fields. */
Test(parser, short_block)
{
	log_bytes log = log_make(MAIL, 0);
	mprof_parser *parser = open_fed(&log);
	mprof_block block;

	memset(&block, 0xee, sizeof(block));
	block.struct_size = offsetof(mprof_block, loaded);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_INTRO);
	cr_assert_eq(block.loaded, 0xeeeeeeee);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser, room)
{
	log_bytes log = log_make(MAIL, 0);
	mprof_parser *parser = open_parser();
	mprof_block block = fresh_block();
	void *room;
	size_t length;

	cr_assert_eq(mprof_parser_commit(parser, 1), MPROF_ERR_ARGUMENT, "no room was reserved");
	cr_assert_eq(mprof_parser_commit(parser, 0), MPROF_OK);
	cr_assert_eq(mprof_parser_reserve(parser, log.length + 100000, &room, &length), MPROF_OK);
	cr_assert_geq(length, log.length + 100000);
	cr_assert_eq(mprof_parser_commit(parser, length + 1), MPROF_ERR_ARGUMENT);
	memcpy(room, log.bytes, log.length);
	cr_assert_eq(mprof_parser_commit(parser, log.length), MPROF_OK);
	cr_assert_eq(mprof_parser_commit(parser, 1), MPROF_ERR_ARGUMENT, "the room was used up");
	mprof_parser_finish(parser);
	cr_assert_eq(mprof_parser_reserve(parser, 1, &room, &length), MPROF_ERR_STATE);
	for (size_t i = 0; i < log_block_count(&log); i++)
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_END);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser, no_room_so_long)
{
	/* The address sanitizer ends the program if malloc() is called with an impossible length. */
#ifdef __SANITIZE_ADDRESS__
	const size_t lengths[] = {SIZE_MAX};
#else
	const size_t lengths[] = {SIZE_MAX, SIZE_MAX / 2};
#endif

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		mprof_parser *parser = open_parser();
		size_t length;
		void *room;

		cr_assert_eq(mprof_parser_reserve(parser, lengths[i], &room, &length), MPROF_ERR_MEMORY);
		cr_assert_null(room);
		mprof_parser_destroy(parser);
	}
}

/* Headers alone; the contents of blocks are skipped without feeding them. */
Test(parser, skipping)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_parser *parser = open_parser();
	mprof_block block = fresh_block();
	size_t fed = 0;
	size_t skipped = 0;
	size_t number = 0;
	mprof_status status;

	while ((status = mprof_parser_next_header(parser, &block)) != MPROF_END) {
		uint64_t skippable = mprof_parser_get_skippable(parser);

		if (status == MPROF_OK) {
			cr_assert_eq(block.offset, log_block_offset(&log, number++));
			cr_assert_eq(skippable, 0);
			continue;
		}
		cr_assert_eq(status, MPROF_AGAIN);
		cr_assert_eq(mprof_parser_skip(parser, skippable + 1), MPROF_ERR_ARGUMENT);
		if (skippable > 0) {
			/* In two steps, and the last byte by feeding. */
			cr_assert_eq(mprof_parser_skip(parser, skippable / 2), MPROF_OK);
			cr_assert_eq(mprof_parser_get_skippable(parser), skippable - skippable / 2);
			cr_assert_eq(mprof_parser_skip(parser, skippable - skippable / 2 - 1), MPROF_OK);
			fed += skippable - 1;
			skipped += skippable - 1;
		}
		if (fed < log.length)
			cr_assert_eq(mprof_parser_feed(parser, log.bytes + fed++, 1), MPROF_OK);
		else
			mprof_parser_finish(parser);
	}
	cr_assert_eq(number, log_block_count(&log));
	cr_assert_gt(skipped, log.length / 2);
	cr_assert_eq(mprof_parser_is_complete(parser), 1, "END is read even if it is skipped");
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), log.length);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* A skipped block changes how later ones are decoded. */
Test(parser, skipping_learns)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser = open_fed(&log);
	mprof_block block = go_to(parser, NUMBER_ASSEMBLY);

	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(block.as.element.assembly != NULL, 1);
	cr_assert_str_eq(block.as.element.assembly->base_name, "corlib");
	cr_assert_eq(block.as.element.id, 2);
	mprof_parser_destroy(parser);
	log.bytes[log_block_offset(&log, NUMBER_MAPPING) + 20] ^= 1;
	parser = open_fed(&log);
	go_to(parser, NUMBER_MAPPING);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_ERR_CHECKSUM, "and is checked");
	expect_next_header(parser, MPROF_BLOCK_EVENTS, &block);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser, limit)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block;

	mprof_parser_options_init(&options, sizeof(options));
	options.max_block_length = 300;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, log.length), MPROF_OK);
	mprof_parser_finish(parser);
	block = go_to(parser, NUMBER_MAPPING - 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_LIMIT);
	cr_assert_eq(block.kind, MPROF_BLOCK_MAPPING);
	cr_assert_eq(block.loaded, 0);
	expect_error(parser, MPROF_ERR_LIMIT, MPROF_SEVERITY_BLOCK, block.offset + 2);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_LIMIT);
	mprof_parser_set_max_block_length(parser, 0);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(block.loaded, 1);
	mprof_parser_set_max_block_length(parser, 300);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_LIMIT);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK, "the next one");
	cr_assert_eq(block.kind, MPROF_BLOCK_STATISTICAL);
	cr_assert_gt(mprof_parser_get_valid_bytes(parser), block.offset, "a limit is not damage");
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* A damaged length field must not cause memory to be allocated that is never filled. */
Test(parser, huge_length)
{
	static const uint8_t log[] = {1, 0, 0xff, 0xff, 0xff, 0xff, 0x81, 'm', 0, 0x80, 0x82};
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block = fresh_block();

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	options.max_block_length = UINT64_MAX;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log, sizeof(log)), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_AGAIN);
	cr_assert_eq(mprof_parser_get_needed(parser), UINT64_C(0xffffffff) + 6 - sizeof(log));
	mprof_parser_finish(parser);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_TRUNCATED);
	cr_assert_lt(memory.most_bytes, 100000);
	mprof_parser_destroy(parser);
	cr_assert_eq(memory.blocks, 0);
}

Test(parser, name_limit)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block;

	mprof_parser_options_init(&options, sizeof(options));
	options.max_name_length = 13;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, log.length), MPROF_OK);
	block = go_to(parser, NUMBER_MAPPING - 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_LIMIT, "\"Method10 (int)\" is the longest");
	cr_assert_eq(block.loaded, 0);
	mprof_parser_destroy(parser);
	options.max_name_length = 14;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, log.length), MPROF_OK);
	block = go_to(parser, NUMBER_MAPPING - 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser, restart)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser = open_parser();
	size_t offset = log_block_offset(&log, NUMBER_EVENTS);
	mprof_block block = fresh_block();
	mprof_event events[FIXTURE_BLOCK_EVENTS + 1];
	size_t count;

	cr_assert_eq(mprof_parser_feed(parser, log.bytes, offset), MPROF_OK);
	for (size_t i = 0; i < NUMBER_EVENTS; i++)
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	for (int pass = 0; pass < 2; pass++) {
		cr_assert_eq(mprof_parser_restart(parser, offset), MPROF_OK);
		cr_assert_eq(mprof_parser_feed(parser, log.bytes + offset, log.length - offset), MPROF_OK);
		mprof_parser_finish(parser);
		block = fresh_block();
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
		cr_assert_eq(block.offset, offset);
		cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
		cr_assert_eq(mprof_parser_next_events(parser, events, FIXTURE_BLOCK_EVENTS + 1, &count), MPROF_OK);
		cr_assert_eq(count, FIXTURE_BLOCK_EVENTS);
		cr_assert_not_null(events[5].more.detail, "directives are remembered");
	}
	/* At INTRO no directive is in force yet. */
	cr_assert_eq(mprof_parser_restart(parser, 0), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, log.length), MPROF_OK);
	block = go_to(parser, 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(block.as.directives.declared.bits[0], FIXTURE_ALL_DIRECTIVES);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* Inserts a block and computes its checksum. */
static void insert_block(log_bytes *log, size_t number, uint32_t code, const char *content, size_t length)
{
	size_t offset = log_block_offset(log, number);
	size_t size = 6 + length + 4;

	log->bytes = realloc(log->bytes, log->length + size);
	cr_assert_not_null(log->bytes);
	memmove(log->bytes + offset + size, log->bytes + offset, log->length - offset);
	bytes_store_16(log->bytes + offset, (uint16_t)code);
	bytes_store_32(log->bytes + offset + 2, (uint32_t)length + 4);
	memcpy(log->bytes + offset + 6, content, length);
	log->length += size;
	log_sign_block(log, number);
}

Test(parser, unknown_block)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_parser *parser;
	mprof_block block;

	insert_block(&log, 2, 200, "anything", 8);
	parser = open_fed(&log);
	block = go_to(parser, 2);
	cr_assert_eq(block.kind, MPROF_BLOCK_UNKNOWN);
	cr_assert_eq(block.code, 200);
	cr_assert_eq(block.length, 12);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(block.loaded, 1);
	while (mprof_parser_next_block(parser, &block) == MPROF_OK)
		continue;
	cr_assert_eq(mprof_parser_is_complete(parser), 1);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser, unknown_directive)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_parser *parser;
	mprof_block block;

	/* Directive 99 changes EVENTS. */
	insert_block(&log, 1, 10, "\x81\x82\xe3\x85\x80\x81\x82", 7);
	parser = open_fed(&log);
	block = go_to(parser, NUMBER_EVENTS);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(block.loaded, 0);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
	expect_error(parser, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_BLOCK, block.offset);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_STATISTICAL);
	mprof_parser_destroy(parser);
	log_free(&log);
}

static void expect_refused(const char *bytes, size_t length, mprof_status status, const char *what)
{
	log_bytes log = {(uint8_t *)(uintptr_t)bytes, length};

	for (size_t chunk = 0; chunk < 3; chunk++) {
		log_digest digest;

		log_digest_parse(&digest, &log, chunk, NULL);
		cr_assert_eq(digest.last, status, "%s: %s", what, digest.first.what);
		cr_assert_not_null(strstr(digest.first.what, what), "%s", digest.first.what);
		cr_assert_eq(digest.first.severity, MPROF_SEVERITY_FATAL);
	}
}

#define EXPECT_REFUSED(bytes, status, what) expect_refused(bytes, sizeof(bytes) - 1, status, what)

Test(parser, later_version)
{
	EXPECT_REFUSED("\x01\x00\x06\x00\x00\x00\x83\x00\x80\x81\x81\x81", MPROF_ERR_UNSUPPORTED, "later version");
}

Test(parser, foreign_files)
{
	EXPECT_REFUSED("\x01ZPM\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", MPROF_ERR_NOT_MPROF, ".mlpd");
	EXPECT_REFUSED("\x7f"
		       "ELF",
		       MPROF_ERR_NOT_MPROF, "native");
	EXPECT_REFUSED("\x1f\x8b\x08\x00", MPROF_ERR_NOT_MPROF, "gzip");
	EXPECT_REFUSED("not a log at all", MPROF_ERR_NOT_MPROF, "does not start like");
	EXPECT_REFUSED("\x01", MPROF_ERR_NOT_MPROF, "too short");
	EXPECT_REFUSED("\x01\x00\x05\x00\x00\x00", MPROF_ERR_NOT_MPROF, "too short");
	EXPECT_REFUSED("\x01\x00\x05\x00\x00\x00\x00\x00\x00\x00", MPROF_ERR_NOT_MPROF, "too short");
	EXPECT_REFUSED("\x01\x00\x05\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00", MPROF_ERR_NOT_MPROF, "start");
	EXPECT_REFUSED("\x01\x00\x05\x00\x00\x00\x81no log at all, by chance", MPROF_ERR_MALFORMED, "block");
}

/* Feeds the next bytes, or ends the input if none. */
static mprof_status feed_next(mprof_parser *parser, const log_bytes *log, size_t *fed)
{
	size_t length = log->length - *fed < 100 ? log->length - *fed : 100;
	mprof_status status = MPROF_OK;

	if (length == 0)
		mprof_parser_finish(parser);
	else
		status = mprof_parser_feed(parser, log->bytes + *fed, length);
	*fed += length;
	return status;
}

/* After refused memory, every call returns the same error. */
static void expect_no_more(mprof_parser *parser)
{
	mprof_block block = fresh_block();
	mprof_event event;
	size_t length;
	void *room;

	cr_assert_eq(parser_error_of(parser).severity, MPROF_SEVERITY_FATAL);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &length), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_parser_feed(parser, "x", 1), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_parser_reserve(parser, 1, &room, &length), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_parser_restart(parser, 0), MPROF_ERR_MEMORY);
	cr_assert_eq(parser_error_of(parser).status, MPROF_ERR_MEMORY);
}

/* A parser whose request for memory was refused returns the error and cannot be used any more. */
static void parse_with_failures(const log_bytes *log, const log_digest *expected, failing_allocator *memory)
{
	mprof_allocator allocator = failing_allocator_interface(memory);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block = fresh_block();
	mprof_status status;
	uint64_t blocks = 0;
	size_t fed = 0;

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	status = mprof_parser_create(&options, &parser);
	if (status != MPROF_OK) {
		cr_assert_eq(status, MPROF_ERR_MEMORY);
		cr_assert_null(parser);
		return;
	}
	while (status == MPROF_OK) {
		status = mprof_parser_next_block(parser, &block);
		blocks += status == MPROF_OK;
		if (status == MPROF_AGAIN)
			status = feed_next(parser, log, &fed);
	}
	/* Some tables can do without more memory: they use another representation. */
	if (status == MPROF_END || memory->refused == 0) {
		cr_assert_eq(status, MPROF_END);
		cr_assert_eq(blocks, expected->blocks);
		cr_assert_eq(mprof_parser_is_complete(parser), 1);
	} else {
		cr_assert_eq(status, MPROF_ERR_MEMORY);
		expect_no_more(parser);
	}
	mprof_parser_destroy(parser);
}

static void check_memory_failures(log_bytes log)
{
	log_digest expected;

	log_digest_parse(&expected, &log, 0, NULL);
	for (size_t fail_at = 1;; fail_at++) {
		failing_allocator memory = {0};

		memory.fail_at = fail_at;
		memory.fail_once = 1;
		parse_with_failures(&log, &expected, &memory);
		cr_assert_eq(memory.blocks, 0);
		if (memory.refused == 0)
			break;
	}
	log_free(&log);
}

Test(parser, no_memory)
{
	check_memory_failures(log_make(MPROF2, FIXTURE_ALL_DIRECTIVES));
	check_memory_failures(log_make_more(FIXTURE_ALL_DIRECTIVES));
}
