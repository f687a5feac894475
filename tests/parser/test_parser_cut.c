/* SPDX-License-Identifier: MIT */
/* A log that is truncated at any byte yields everything that is complete before the end, and the right error. */
#include "logs/log_fixture.h"

#include "base/bytes.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* The number of complete blocks in the first bytes of a log; sets the offset of the next one. */
static size_t whole_blocks(const log_bytes *log, size_t length, size_t *next)
{
	size_t count = 0;

	*next = 0;
	while (*next + 6 <= length && *next + 6 + bytes_load_32(log->bytes + *next + 2) <= length) {
		*next += 6 + bytes_load_32(log->bytes + *next + 2);
		count++;
	}
	return count;
}

static void check_cut(const log_bytes *log, size_t cut, size_t chunk, uint64_t *events)
{
	log_bytes part = {log->bytes, cut};
	log_digest digest;
	size_t next;
	size_t blocks = whole_blocks(log, cut, &next);

	log_digest_parse(&digest, &part, chunk, NULL);
	if (cut < 7) {
		cr_assert_eq(digest.last, MPROF_ERR_NOT_MPROF, "cut at %zu", cut);
		return;
	}
	cr_assert_eq(digest.blocks, blocks, "cut at %zu: %d blocks", cut, (int)digest.blocks);
	if (next == cut) {
		cr_assert_eq(digest.last, MPROF_END, "cut at %zu: %s", cut, digest.first.what);
		cr_assert_eq(digest.faults, 0);
	} else {
		cr_assert_eq(digest.last, MPROF_ERR_TRUNCATED, "cut at %zu: %s", cut, digest.first.what);
		cr_assert_eq(digest.first.severity, MPROF_SEVERITY_FATAL);
		cr_assert_eq(digest.first.offset, cut);
		cr_assert_eq(digest.first.block_offset, next);
	}
	/*
	 * An additional byte never yields fewer events, and all events of a list are available before the block is
	 * complete.
	 */
	cr_assert_geq(digest.events, *events, "cut at %zu", cut);
	*events = digest.events;
}

static void check_all_cuts(log_bytes log)
{
	uint64_t events = 0;
	log_digest whole;

	log_digest_parse(&whole, &log, 0, NULL);
	for (size_t cut = 0; cut <= log.length; cut++)
		check_cut(&log, cut, 0, &events);
	cr_assert_eq(events, whole.events);
	events = 0;
	for (size_t cut = 0; cut <= log.length; cut += 5)
		check_cut(&log, cut, 3, &events);
	log_free(&log);
}

Test(parser_cut, mail)
{
	check_all_cuts(log_make(MPROF_DIALECT_MAIL, 0));
	check_all_cuts(log_from_data("good-mail"));
	check_all_cuts(log_from_data("good-mail-by-letter"));
}

Test(parser_cut, mprof2)
{
	check_all_cuts(log_make(MPROF_DIALECT_MPROF2, 0));
	check_all_cuts(log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES));
}

Test(parser_cut, more_of_mprof2)
{
	check_all_cuts(log_make_more(0));
	check_all_cuts(log_make_more(FIXTURE_ALL_DIRECTIVES));
}

/* The valid bytes of a truncated log, and that it is not complete. */
Test(parser_cut, valid_bytes)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);

	for (size_t cut = 7; cut <= log.length; cut++) {
		mprof_parser *parser;
		mprof_block block;
		size_t next;

		whole_blocks(&log, cut, &next);
		cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
		cr_assert_eq(mprof_parser_feed(parser, log.bytes, cut), MPROF_OK);
		mprof_parser_finish(parser);
		mprof_block_init(&block, sizeof(block));
		while (mprof_parser_next_block(parser, &block) == MPROF_OK)
			continue;
		cr_assert_eq(mprof_parser_get_valid_bytes(parser), next);
		cr_assert_eq(mprof_parser_is_complete(parser), cut == log.length);
		mprof_parser_destroy(parser);
	}
	log_free(&log);
}

/* Headers only: the truncation is found as well. */
Test(parser_cut, skipped)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);

	for (size_t cut = 7; cut <= log.length; cut++) {
		mprof_parser *parser;
		mprof_block block;
		mprof_status status;
		size_t next;

		whole_blocks(&log, cut, &next);
		cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
		cr_assert_eq(mprof_parser_feed(parser, log.bytes, cut), MPROF_OK);
		mprof_parser_finish(parser);
		mprof_block_init(&block, sizeof(block));
		while ((status = mprof_parser_next_header(parser, &block)) == MPROF_OK)
			continue;
		cr_assert_eq(status, next == cut ? MPROF_END : MPROF_ERR_TRUNCATED);
		cr_assert_eq(mprof_parser_get_valid_bytes(parser), next);
		mprof_parser_destroy(parser);
	}
	log_free(&log);
}

/* If only the CLOCK of a block is truncated, all its events can be fetched. */
Test(parser_cut, events_before_the_cut)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser;
	mprof_block block;
	mprof_event events[FIXTURE_BLOCK_EVENTS + 1];
	mprof_status status;
	size_t next = 0;
	size_t count;

	while (bytes_load_16(log.bytes + next) != 5)
		next += 6 + bytes_load_32(log.bytes + next + 2);
	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	/* Before the last byte of the checksum. */
	next += 6 + bytes_load_32(log.bytes + next + 2) - 1;
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, next), MPROF_OK);
	cr_assert_eq(mprof_parser_finish(parser), MPROF_OK);
	cr_assert_eq(mprof_parser_finish(parser), MPROF_OK, "a second time changes nothing");
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_parser_next_block(parser, &block)) == MPROF_OK)
		continue;
	cr_assert_eq(status, MPROF_ERR_TRUNCATED);
	cr_assert_eq(block.kind, MPROF_BLOCK_EVENTS);
	cr_assert_eq(block.loaded, 1);
	cr_assert_eq(block.thread, UINT64_C(0x7f0012345740));
	cr_assert_eq(block.as.events.base_counter, 5300000);
	cr_assert_eq(block.has_clocks, 0, "one is missing");
	cr_assert_eq(mprof_parser_next_events(parser, events, FIXTURE_BLOCK_EVENTS + 1, &count), MPROF_OK);
	cr_assert_eq(count, FIXTURE_BLOCK_EVENTS);
	cr_assert_eq(mprof_parser_next_events(parser, events, 1, &count), MPROF_ERR_TRUNCATED);
	cr_assert_eq(count, 0);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_TRUNCATED);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* Reading continues when the rest arrives later, unless mprof_parser_finish() was called. */
Test(parser_cut, rest_comes_later)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);

	for (size_t cut = 0; cut < log.length; cut++) {
		mprof_parser *parser;
		mprof_block block;
		size_t blocks = 0;

		cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
		mprof_block_init(&block, sizeof(block));
		cr_assert_eq(mprof_parser_feed(parser, log.bytes, cut), MPROF_OK);
		for (; mprof_parser_next_block(parser, &block) == MPROF_OK; blocks++)
			continue;
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_AGAIN);
		cr_assert_eq(mprof_parser_feed(parser, log.bytes + cut, log.length - cut), MPROF_OK);
		for (; mprof_parser_next_block(parser, &block) == MPROF_OK; blocks++)
			continue;
		cr_assert_eq(blocks, log_block_count(&log));
		cr_assert_eq(mprof_parser_is_complete(parser), 1);
		mprof_parser_destroy(parser);
	}
	log_free(&log);
}
