/* SPDX-License-Identifier: MIT */
/* How the parser handles damage: what is lost, what is reported, and where reading continues. */
#include "parser_fixture.h"

#include "base/bytes.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* The content of a damaged DIRECTIVES block is unknown, so blocks that it may affect are not decoded. */
Test(parser_damage, damaged_directives)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser;
	mprof_block block = fresh_block();
	mprof_status expected[] = {
		[NUMBER_INTRO] = MPROF_OK,
		[NUMBER_DIRECTIVES] = MPROF_ERR_CHECKSUM,
		[NUMBER_DOMAIN] = MPROF_ERR_UNSUPPORTED,
		[NUMBER_ASSEMBLY] = MPROF_ERR_UNSUPPORTED,
		[NUMBER_UNLOADED] = MPROF_ERR_UNSUPPORTED,
		[NUMBER_MAPPING] = MPROF_ERR_UNSUPPORTED,
		[NUMBER_EVENTS] = MPROF_ERR_UNSUPPORTED,
		[NUMBER_STATISTICAL] = MPROF_OK,
	};

	log.bytes[log_block_offset(&log, NUMBER_DIRECTIVES) + 10] ^= 1;
	parser = open_fed(&log);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		cr_assert_eq(mprof_parser_next_block(parser, &block), expected[i], "block %zu", i);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser_damage, checksum)
{
	log_bytes log = log_make(MPROF2, 0);
	size_t offset = log_block_offset(&log, NUMBER_EVENTS - 1);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block;
	log_digest digest;
	log_digest ignoring;

	log.bytes[offset + 8] ^= 1;
	parser = open_fed(&log);
	block = go_to(parser, NUMBER_EVENTS - 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_CHECKSUM);
	expect_error(parser, MPROF_ERR_CHECKSUM, MPROF_SEVERITY_BLOCK, offset + 6 + block.length - 4);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_STATE);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_STATISTICAL);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), offset);
	mprof_parser_destroy(parser);
	log_digest_parse(&digest, &log, 0, NULL);
	cr_assert_eq(digest.faults, 1);
	cr_assert_eq(digest.events, FIXTURE_BLOCK_EVENTS + 4);
	mprof_parser_options_init(&options, sizeof(options));
	options.ignore_checksums = 1;
	log_digest_parse(&ignoring, &log, 0, &options);
	cr_assert_eq(ignoring.faults, 0);
	cr_assert_eq(ignoring.events, 2 * FIXTURE_BLOCK_EVENTS + 4);
	log_free(&log);
}

/* One wrong bit in a header: all blocks but that one are read, with one or two errors. */
static void check_damaged_bit(const log_bytes *good, size_t number, uint32_t bit, const mprof_parser_options *options)
{
	log_bytes log = {malloc(good->length), good->length};
	size_t offset = log_block_offset(good, number);
	size_t blocks = log_block_count(good);
	log_digest digest;

	memcpy(log.bytes, good->bytes, good->length);
	log.bytes[offset + bit / 8] ^= (uint8_t)(1 << bit % 8);
	for (size_t chunk = 0; chunk <= 1000; chunk += 1000) {
		log_digest_parse(&digest, &log, chunk, options);
		cr_assert_eq(digest.last, MPROF_END, "block %zu bit %u: %s", number, (unsigned)bit, digest.first.what);
		cr_assert_eq(digest.blocks, blocks - 1, "block %zu bit %u: %d blocks", number, (unsigned)bit,
			     (int)digest.blocks);
		cr_assert(digest.faults == 1 || digest.faults == 2);
		cr_assert_eq(digest.first.block_offset, offset);
	}
	log_free(&log);
}

static void check_damaged_headers(log_bytes log)
{
	mprof_parser_options options;

	mprof_parser_options_init(&options, sizeof(options));
	/* Without a limit, no damaged length is merely too long. */
	options.max_block_length = UINT64_MAX;
	for (size_t number = 2; number + 1 < log_block_count(&log); number++) {
		for (uint32_t bit = 0; bit < 48; bit++) {
			/* A block that looks like a damaged DIRECTIVES block makes others unreadable. */
			if (bit >= 8 || (log.bytes[log_block_offset(&log, number)] ^ 1 << bit) != 10)
				check_damaged_bit(&log, number, bit, &options);
		}
	}
	log_free(&log);
}

Test(parser_damage, damaged_header)
{
	check_damaged_headers(log_make(MPROF2, 0));
	check_damaged_headers(log_make_more(0));
}

Test(parser_damage, damage_to_the_end)
{
	log_bytes log = log_make(MPROF2, 0);
	size_t offset = log_block_offset(&log, NUMBER_EVENTS - 1);
	mprof_parser *parser;
	mprof_block block = fresh_block();

	memset(log.bytes + offset, 0xff, log.length - offset);
	parser = open_fed(&log);
	go_to(parser, NUMBER_EVENTS - 2);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_FATAL, offset);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_ERR_MALFORMED, "it sticks");
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_MALFORMED);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), offset);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* If bytes everywhere look like headers of long blocks, the cost is limited to a few passes over the log. */
Test(parser_damage, search_is_bounded)
{
	const size_t length = 4 << 20;
	log_bytes log = log_make(MPROF2, 0);
	size_t offset = log_block_offset(&log, 2);
	log_digest digest;

	log.bytes = realloc(log.bytes, length);
	cr_assert_not_null(log.bytes);
	log.length = length;
	memset(log.bytes + offset, 0xff, 6);
	for (size_t i = offset + 6; i + 6 <= length; i += 6) {
		bytes_store_16(log.bytes + i, 5);
		bytes_store_32(log.bytes + i + 2, (uint32_t)((length - i - 6) / 2));
	}
	log_digest_parse(&digest, &log, 0, NULL);
	cr_assert_eq(digest.last, MPROF_ERR_MALFORMED);
	cr_assert_eq(digest.first.severity, MPROF_SEVERITY_FATAL);
	log_free(&log);
}

/* The search does not wait for the end of a block that exceeds the limit: the next valid block follows its header. */
Test(parser_damage, search_passes_blocks_beyond_the_limit)
{
	const uint64_t limit = 1 << 20;
	log_bytes log = log_make(MPROF2, 0);
	size_t offset = log_block_offset(&log, NUMBER_EVENTS - 1);
	size_t next = log_block_offset(&log, NUMBER_EVENTS);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block = fresh_block();

	memset(log.bytes + offset, 0xff, 6);
	bytes_store_16(log.bytes + offset + 20, 5);
	bytes_store_32(log.bytes + offset + 22, (uint32_t)limit + 1);
	mprof_parser_options_init(&options, sizeof(options));
	options.max_block_length = limit;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, log.length), MPROF_OK);
	for (size_t i = 0; i + 1 < NUMBER_EVENTS; i++)
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_MALFORMED);
	cr_assert_eq(parser_error_of(parser).severity, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.offset, next);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* A log without checksums cannot be read further. */
Test(parser_damage, damaged_header_of_mail)
{
	log_bytes log = log_make(MAIL, 0);
	size_t offset = log_block_offset(&log, 2);
	log_digest digest;

	log.bytes[offset + 1] = 1;
	log_digest_parse(&digest, &log, 0, NULL);
	cr_assert_eq(digest.last, MPROF_ERR_MALFORMED);
	cr_assert_eq(digest.blocks, 2);
	cr_assert_eq(digest.first.offset, offset);
	cr_assert_eq(digest.first.severity, MPROF_SEVERITY_FATAL);
	log_free(&log);
}

Test(parser_damage, damaged_content_of_mail)
{
	log_bytes log = log_make(MAIL, 0);
	size_t offset = log_block_offset(&log, 1);
	log_digest digest;

	log.bytes[offset + 6] = 0xff;
	log_digest_parse(&digest, &log, 0, NULL);
	cr_assert_eq(digest.last, MPROF_END);
	cr_assert_eq(digest.faults, 1);
	cr_assert_eq(digest.first.status, MPROF_ERR_MALFORMED);
	cr_assert_eq(digest.first.severity, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(digest.first.offset, offset + 6);
	cr_assert_eq(digest.blocks, log_block_count(&log) - 1);
	log_free(&log);
}

/* An event in the middle is damaged: those before it are returned first. */
Test(parser_damage, damaged_event)
{
	log_bytes log = log_make(MAIL, 0);
	mprof_parser *parser = open_fed(&log);
	mprof_block block = go_to(parser, NUMBER_EVENTS - 1);
	mprof_event events[FIXTURE_BLOCK_EVENTS];
	size_t offset;
	size_t count;

	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	offset = (size_t)block.offset + 6;
	/* After CLOCK, thread and base counter, and three events. */
	for (int ints = 0; ints < 4; offset++)
		ints += (log.bytes[offset] & 0x80) != 0;
	for (int ends = 0; ends < 6;) {
		offset++;
		for (int ints = 0; ints < 2; offset++)
			ints += (log.bytes[offset] & 0x80) != 0;
		ends += 2;
	}
	mprof_parser_destroy(parser);
	log.bytes[offset] = 0x08;
	parser = open_fed(&log);
	block = go_to(parser, NUMBER_EVENTS - 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, events, FIXTURE_BLOCK_EVENTS, &count), MPROF_OK);
	cr_assert_eq(count, 3);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(mprof_parser_next_events(parser, events, FIXTURE_BLOCK_EVENTS, &count),
			     MPROF_ERR_MALFORMED);
		cr_assert_eq(count, 0);
		expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK, offset);
	}
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), block.offset);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_STATISTICAL);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser_damage, bytes_after_end)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_parser *parser = open_parser();
	mprof_block block = fresh_block();

	cr_assert_eq(mprof_parser_feed(parser, log.bytes, log.length), MPROF_OK);
	for (size_t i = 0; i < log_block_count(&log); i++)
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_is_complete(parser), 1);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, 1), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_FATAL, log.length);
	cr_assert_eq(mprof_parser_is_complete(parser), 0);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), log.length);
	mprof_parser_destroy(parser);
	log_free(&log);
}

Test(parser_damage, second_intro)
{
	log_bytes log = log_make(MPROF2, 0);
	size_t intro = log_block_offset(&log, 1);
	size_t end = log_block_offset(&log, log_block_count(&log) - 1);
	mprof_parser *parser = open_parser();
	mprof_block block = fresh_block();
	mprof_status status;

	cr_assert_eq(mprof_parser_feed(parser, log.bytes, end), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, intro), MPROF_OK);
	mprof_parser_finish(parser);
	while ((status = mprof_parser_next_block(parser, &block)) == MPROF_OK)
		continue;
	cr_assert_eq(status, MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_FATAL, end);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* The parser does not wait for a block of that length: it finds the next valid one inside it. */
Test(parser_damage, length_beyond_the_limit)
{
	log_bytes log = log_make(MPROF2, 0);
	size_t offset = log_block_offset(&log, NUMBER_EVENTS - 1);
	mprof_parser *parser;
	mprof_block block;

	log.bytes[offset + 5] = 0x7f;
	parser = open_fed(&log);
	block = go_to(parser, NUMBER_EVENTS - 1);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_ERR_LIMIT);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_MALFORMED);
	expect_error(parser, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK, offset);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_STATISTICAL);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), offset);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* A block that is too long but as long as its header specifies is no damage, even if it is the last. */
Test(parser_damage, too_long_at_the_end)
{
	log_bytes log = log_make(MPROF2, 0);
	size_t offset = log_block_offset(&log, NUMBER_EVENTS - 1);
	mprof_parser_options options;
	mprof_parser *parser;
	mprof_block block = fresh_block();

	log.length = log_block_offset(&log, NUMBER_STATISTICAL - 1);
	mprof_parser_options_init(&options, sizeof(options));
	options.max_block_length = 300;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, log.length), MPROF_OK);
	mprof_parser_finish(parser);
	do {
		block = fresh_block();
		(void)!mprof_parser_next_block(parser, &block);
	} while (block.offset < offset);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_END);
	cr_assert_eq(mprof_parser_get_valid_bytes(parser), log.length);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* The bytes up to the end of the block are not awaited and kept in memory: its length is as wrong as its fields. */
Test(parser_damage, long_compressed_block_with_malformed_fields)
{
	static const uint8_t start[] = {44, 0, 0, 0, 0, 0x40, 0x80};
	log_bytes log = log_make(MPROF2, 0);
	const size_t intro_end = log_block_offset(&log, 1);
	mprof_block block = fresh_block();
	mprof_parser *parser;
	mprof_status status;
	size_t found = 0;
	size_t faults = 0;

	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes, intro_end), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, start, sizeof(start)), MPROF_OK);
	cr_assert_eq(mprof_parser_feed(parser, log.bytes + intro_end, log.length - intro_end), MPROF_OK);
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_AGAIN) {
		cr_assert(status == MPROF_OK || status == MPROF_ERR_MALFORMED);
		found += status == MPROF_OK;
		faults += status != MPROF_OK;
	}
	cr_assert_eq(found, log_block_count(&log));
	cr_assert_geq(faults, 1);
	mprof_parser_destroy(parser);
	log_free(&log);
}
