/* SPDX-License-Identifier: MIT */
/* A log yields the same in pieces of any size as in one piece. */
#include "logs/log_fixture.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static void expect_same(const log_digest *expected, const log_digest *digest, size_t chunk)
{
	cr_assert_eq(digest->last, expected->last, "chunk %zu: %s", chunk, digest->first.what);
	cr_assert_eq(digest->faults, expected->faults, "chunk %zu", chunk);
	cr_assert_eq(digest->blocks, expected->blocks, "chunk %zu", chunk);
	cr_assert_eq(digest->events, expected->events, "chunk %zu", chunk);
	cr_assert_eq(digest->mappings, expected->mappings, "chunk %zu", chunk);
	cr_assert_eq(digest->records, expected->records, "chunk %zu", chunk);
	cr_assert_eq(digest->properties, expected->properties, "chunk %zu", chunk);
	cr_assert_eq(digest->hash, expected->hash, "chunk %zu", chunk);
}

static void check_chunks(log_bytes log)
{
	log_digest expected;
	log_digest digest;

	log_digest_parse(&expected, &log, 0, NULL);
	cr_assert_eq(expected.last, MPROF_END, "%s", expected.first.what);
	cr_assert_eq(expected.faults, 0, "%s", expected.first.what);
	cr_assert_gt(expected.events, 0);
	for (size_t chunk = 1; chunk <= 17; chunk++) {
		log_digest_parse(&digest, &log, chunk, NULL);
		expect_same(&expected, &digest, chunk);
	}
	log_digest_parse(&digest, &log, 1000, NULL);
	expect_same(&expected, &digest, 1000);
	log_free(&log);
}

Test(parser_chunks, mail)
{
	check_chunks(log_make(MPROF_DIALECT_MAIL, 0));
	check_chunks(log_from_data("good-mail"));
	check_chunks(log_from_data("good-mail-by-letter"));
}

Test(parser_chunks, mprof2)
{
	check_chunks(log_make(MPROF_DIALECT_MPROF2, 0));
	check_chunks(log_from_data("good-mprof2"));
	check_chunks(log_from_data("good-heap"));
}

Test(parser_chunks, mprof2_with_directives)
{
	for (uint32_t directive = 1; directive <= MPROF_DIRECTIVE_DETAILED_EVENTS; directive++) {
		if ((FIXTURE_ALL_DIRECTIVES & MPROF_DIRECTIVE_BIT(directive)) != 0)
			check_chunks(log_make(MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(directive)));
	}
	check_chunks(log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES));
}

Test(parser_chunks, more_of_mprof2)
{
	check_chunks(log_make_more(0));
	check_chunks(log_make_more(FIXTURE_ALL_DIRECTIVES));
}

/* The parser requests no more bytes than the log has. */
Test(parser_chunks, as_much_as_needed)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser;
	mprof_block block;
	mprof_status status;
	size_t fed = 0;

	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		uint64_t needed = mprof_parser_get_needed(parser);

		cr_assert_eq(needed > 0, status == MPROF_AGAIN);
		if (status == MPROF_OK)
			continue;
		if (fed == log.length) {
			mprof_parser_finish(parser);
			continue;
		}
		cr_assert_leq(fed + needed, log.length);
		/* In two parts: the number of needed bytes decreases. */
		cr_assert_eq(mprof_parser_feed(parser, log.bytes + fed, needed / 2), MPROF_OK);
		cr_assert_eq(mprof_parser_get_needed(parser), needed - needed / 2);
		cr_assert_eq(mprof_parser_feed(parser, log.bytes + fed + needed / 2, needed - needed / 2), MPROF_OK);
		fed += needed;
	}
	cr_assert_eq(mprof_parser_is_complete(parser), 1);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* Fills the parser's own buffer, whose size the parser chooses, in pieces of random size. */
Test(parser_chunks, into_room)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	mprof_parser *parser;
	mprof_block block;
	mprof_status status;
	uint64_t blocks = 0;
	size_t fed = 0;
	uint32_t random = 1;

	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		size_t wanted;
		size_t length;
		void *room;

		blocks += status == MPROF_OK;
		if (status == MPROF_OK)
			continue;
		random = random * 214013 + 2531011;
		wanted = random % 3 == 0 ? 0 : random % 300;
		wanted = wanted < log.length - fed ? wanted : log.length - fed;
		cr_assert_eq(mprof_parser_reserve(parser, wanted, &room, &length), MPROF_OK);
		cr_assert_geq(length, wanted);
		memcpy(room, log.bytes + fed, wanted);
		cr_assert_eq(mprof_parser_commit(parser, wanted), MPROF_OK);
		fed += wanted;
		if (fed == log.length)
			mprof_parser_finish(parser);
	}
	cr_assert_eq(blocks, log_block_count(&log));
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* Feeding between two batches of events moves the block but loses nothing. */
Test(parser_chunks, between_batches)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser;
	mprof_block block;
	mprof_event event;
	mprof_mapping mapping;
	mprof_status status;
	size_t fed = 0;
	size_t count;
	uint64_t events = 0;
	uint64_t mappings = 0;

	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		int at_end = 0;

		while (!at_end) {
			at_end = 1;
			if (status == MPROF_OK && block.kind == MPROF_BLOCK_EVENTS &&
			    mprof_parser_next_events(parser, &event, 1, &count) == MPROF_OK) {
				events++;
				at_end = 0;
			} else if (status == MPROF_OK && block.kind == MPROF_BLOCK_MAPPING &&
				   mprof_parser_next_mappings(parser, &mapping, sizeof(mapping), 1, &count) ==
					   MPROF_OK) {
				cr_assert_eq(strlen(mapping.name), mapping.name_length);
				mappings++;
				at_end = 0;
			}
			if (fed < log.length)
				cr_assert_eq(mprof_parser_feed(parser, log.bytes + fed++, 1), MPROF_OK);
			else
				mprof_parser_finish(parser);
		}
	}
	cr_assert_eq(events, 2 * FIXTURE_BLOCK_EVENTS);
	cr_assert_eq(mappings, 60);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* A long block in pieces of one byte takes time proportional to its length, and memory of a few times its length. */
Test(parser_chunks, long_block_by_bytes)
{
	const size_t length = 3 << 20;
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block;
	uint8_t header[17] = "\x01\x00\x05\x00\x00\x00\x81\x00\x80\x81\x81\x2a\x00";

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	header[13] = (uint8_t)length;
	header[14] = (uint8_t)(length >> 8);
	header[15] = (uint8_t)(length >> 16);
	header[16] = 0;
	cr_assert_eq(mprof_parser_feed(parser, header, sizeof(header)), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	for (size_t i = 0; i < length; i++) {
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_AGAIN);
		cr_assert_eq(mprof_parser_feed(parser, "x", 1), MPROF_OK);
	}
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_UNKNOWN);
	cr_assert_leq(memory.most_bytes, 4 * length);
	mprof_parser_destroy(parser);
	cr_assert_eq(memory.blocks, 0);
}

/* A skipped block is not kept. */
Test(parser_chunks, skipped_block_takes_no_memory)
{
	const uint64_t length = UINT64_C(0xfffffff0);
	static uint8_t zeros[1 << 20];
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block;
	uint64_t fed = 0;

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	cr_assert_eq(
		mprof_parser_feed(parser, "\x01\x00\x05\x00\x00\x00\x81\x00\x80\x81\x81\x2a\x00\xf0\xff\xff\xff", 17),
		MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_OK);
	cr_assert_eq(block.length, length);
	while (fed + sizeof(zeros) < length) {
		cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_AGAIN);
		cr_assert_eq(mprof_parser_feed(parser, zeros, sizeof(zeros)), MPROF_OK);
		fed += sizeof(zeros);
	}
	cr_assert_eq(mprof_parser_feed(parser, zeros, length - fed), MPROF_OK);
	mprof_parser_finish(parser);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_END);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), 17 + length);
	cr_assert_lt(memory.most_bytes, 100000);
	mprof_parser_destroy(parser);
}

/*
 * mprof_parser_next_block() waits for the rest of a block, which the caller then loads itself: each block is still
 * returned once.
 */
Test(parser_chunks, block_that_is_loaded_meanwhile)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser;
	mprof_block block;
	mprof_status status;
	uint64_t returned = 0;
	uint64_t loaded = 0;
	uint64_t offset = UINT64_MAX;
	size_t fed = 0;

	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		if (status == MPROF_AGAIN && fed < log.length) {
			cr_assert_eq(mprof_parser_feed(parser, log.bytes + fed++, 1), MPROF_OK);
			/* Succeeds as soon as the whole block is there. */
			if (mprof_parser_load(parser, &block) != MPROF_OK)
				continue;
			loaded++;
		} else if (status == MPROF_AGAIN) {
			mprof_parser_finish(parser);
			continue;
		} else {
			cr_assert_eq(status, MPROF_OK);
			returned++;
		}
		cr_assert_neq(block.offset, offset);
		offset = block.offset;
	}
	cr_assert_gt(loaded, 0);
	cr_assert_eq(returned + loaded, log_block_count(&log));
	mprof_parser_destroy(parser);
	log_free(&log);
}
