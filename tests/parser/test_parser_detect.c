/* SPDX-License-Identifier: MIT */
/* How the dialect of a log is detected. */
#include "parser_fixture.h"

#include <criterion/criterion.h>

/* INTRO of mail and drop. */
#define SHORT_INTRO "\x01\x00\x05\x00\x00\x00\x81\x00\x80\x81\x81"

/* Reads all headers of a log, fed in pieces, and returns its dialect. */
static mprof_dialect dialect_of(const char *bytes, size_t length, size_t piece)
{
	mprof_parser *parser = open_parser();
	mprof_block block = fresh_block();
	size_t fed = 0;
	mprof_dialect dialect;
	mprof_status status;

	while ((status = mprof_parser_next_header(parser, &block)) != MPROF_END) {
		size_t next = length - fed < piece ? length - fed : piece;

		if (status == MPROF_OK)
			continue;
		cr_assert_eq(status, MPROF_AGAIN, "%s", parser_error_of(parser).what);
		cr_assert_eq(mprof_parser_feed(parser, bytes + fed, next), MPROF_OK);
		fed += next;
		if (next == 0)
			mprof_parser_finish(parser);
	}
	dialect = mprof_parser_get_dialect(parser);
	mprof_parser_destroy(parser);
	return dialect;
}

static void expect_dialect(mprof_dialect dialect, const char *bytes, size_t length)
{
	cr_assert_eq(dialect_of(bytes, length, length), dialect);
	cr_assert_eq(dialect_of(bytes, length, 1), dialect);
}

#define EXPECT_DIALECT(dialect, bytes) expect_dialect(MPROF_DIALECT_##dialect, bytes, sizeof(bytes) - 1)

Test(parser_detect, by_header)
{
	EXPECT_DIALECT(MAIL, SHORT_INTRO);
	EXPECT_DIALECT(MONO, "\x01\x00\x05\x00\x00\x00\x00\x00\x00\x00\x81\x00\x80\x81\x81");
	EXPECT_DIALECT(UNITY_FIXED, "\x01\x00\x19\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x80\x00\x00\x00"
				    "\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00");
}

/* Counters in the first header, which no writer of Mono puts there. */
Test(parser_detect, counters_in_first_header)
{
	EXPECT_DIALECT(MONO, "\x01\x00\x05\x00\x00\x00\x12\x34\x00\x00\x81\x00\x80\x81\x81");
	EXPECT_DIALECT(MONO, "\x01\x00\x05\x00\x00\x00\x81\x00\x00\x00\x81\x00\x80\x81\x81");
	EXPECT_DIALECT(MONO, "\x01\x00\x05\x00\x00\x00\x82\x00\x00\x00\x81\x00\x80\x81\x81");
	EXPECT_DIALECT(MONO, "\x01\x00\x05\x00\x00\x00\xff\xff\xff\xff\x81\x00\x80\x81\x81");
	/* A name whose third byte looks like a version after a long header. */
	EXPECT_DIALECT(MAIL, "\x01\x00\x09\x00\x00\x00\x81\x61\xc3\x61\x81\x00\x80\x81\x82");
}

/* Code units end with a name, other blocks with a varint: codes 2 to 5 are one in mail and the other in drop. */
Test(parser_detect, drop_by_ends)
{
	EXPECT_DIALECT(MAIL, SHORT_INTRO "\x02\x00\x06\x00\x00\x00\x0c\x81\x82\x83\x31\x00");
	EXPECT_DIALECT(DROP, SHORT_INTRO "\x02\x00\x03\x00\x00\x00\x81\x82\x83");
	EXPECT_DIALECT(MAIL, SHORT_INTRO "\x03\x00\x06\x00\x00\x00\x04\x81\x82\x83\x31\x00");
	EXPECT_DIALECT(DROP, SHORT_INTRO "\x03\x00\x07\x00\x00\x00\x81\x82\x83\x80\x80\x81\x82");
	EXPECT_DIALECT(MAIL, SHORT_INTRO "\x04\x00\x07\x00\x00\x00\x81\x82\x83\x80\x80\x81\x82");
	EXPECT_DIALECT(DROP, SHORT_INTRO "\x04\x00\x06\x00\x00\x00\x0c\x81\x82\x83\x31\x00");
	EXPECT_DIALECT(MAIL, SHORT_INTRO "\x05\x00\x07\x00\x00\x00\x81\x82\x83\x84\x00\x81\x82");
	EXPECT_DIALECT(DROP, SHORT_INTRO "\x05\x00\x06\x00\x00\x00\x04\x81\x82\x83\x31\x00");
}

/* Code 6 is EVENTS in drop and STATISTICAL in mail. */
Test(parser_detect, drop_by_events)
{
	EXPECT_DIALECT(DROP, SHORT_INTRO "\x06\x00\x07\x00\x00\x00\x81\x82\x83\x84\x00\x81\x82");
	EXPECT_DIALECT(MAIL, SHORT_INTRO "\x06\x00\x06\x00\x00\x00\x81\x85\x86\x80\x80\x82");
	/* A hit of method 128, whose varint begins with a byte 0. */
	EXPECT_DIALECT(MAIL, SHORT_INTRO "\x06\x00\x06\x00\x00\x00\x81\x00\x81\x80\x80\x82");
}

/* Code 7 is STATISTICAL in drop and END in mail, which may begin with the code of the block. */
Test(parser_detect, drop_by_hits)
{
	EXPECT_DIALECT(MAIL, SHORT_INTRO "\x07\x00\x03\x00\x00\x00\x81\x82\x83");
	EXPECT_DIALECT(MAIL, SHORT_INTRO "\x07\x00\x04\x00\x00\x00\x07\x81\x82\x83");
	EXPECT_DIALECT(DROP, SHORT_INTRO "\x07\x00\x05\x00\x00\x00\x81\x82\x80\x81\x82");
}

Test(parser_detect, drop_by_heap)
{
	EXPECT_DIALECT(DROP, SHORT_INTRO "\x08\x00\x07\x00\x00\x00\x81\x82\x83\x84\x80\x85\x86");
}

/* A block that does not distinguish the dialects leaves the decision to the next one. */
Test(parser_detect, drop_is_found_late)
{
	static const uint8_t log[] = SHORT_INTRO "\x20\x00\x01\x00\x00\x00\x55"
						 "\x04\x00\x06\x00\x00\x00\x0c\x81\x82\x83\x31\x00";
	mprof_parser *parser = open_parser();
	mprof_block block = fresh_block();

	cr_assert_eq(mprof_parser_feed(parser, log, 18), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_INTRO);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_UNKNOWN);
	cr_assert_eq(mprof_parser_get_dialect(parser), MPROF_DIALECT_MAIL);
	cr_assert_eq(mprof_parser_feed(parser, log + 18, 11), MPROF_OK);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_AGAIN, "the last byte decides");
	cr_assert_eq(mprof_parser_get_needed(parser), 1);
	cr_assert_eq(mprof_parser_feed(parser, log + 29, 1), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_LOADED);
	cr_assert_str_eq(block.as.element.name, "1");
	cr_assert_eq(mprof_parser_get_dialect(parser), MPROF_DIALECT_DROP);
	mprof_parser_destroy(parser);
}

/* The parser does not wait for a block longer than the limit. LOADED blocks are never that long. */
Test(parser_detect, drop_by_length)
{
	static const uint8_t codes[][2] = {{3, MPROF_DIALECT_DROP},
					   {4, MPROF_DIALECT_MAIL},
					   {5, MPROF_DIALECT_MAIL},
					   {6, MPROF_DIALECT_DROP},
					   {7, MPROF_DIALECT_DROP}};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		uint8_t log[] = SHORT_INTRO "\x06\x00\x00\x00\x00\x10";
		mprof_parser *parser = open_parser();
		mprof_block block = fresh_block();

		log[11] = codes[i][0];
		cr_assert_eq(mprof_parser_feed(parser, log, sizeof(log) - 1), MPROF_OK);
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
		cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_LIMIT);
		cr_assert_eq(mprof_parser_get_dialect(parser), codes[i][1], "code %u", codes[i][0]);
		mprof_parser_destroy(parser);
	}
}

/* The header of a mono block contains the counters since the previous block. */
Test(parser_detect, counter_delta)
{
	static const uint8_t log[] = "\x01\x00\x05\x00\x00\x00\x00\x00\x00\x00\x81\x00\x80\x81\x81"
				     "\x02\x00\x03\x00\x00\x00\x04\x03\x02\xf1\x81\x82\x83";
	const log_bytes bytes = {(uint8_t *)(uintptr_t)log, sizeof(log) - 1};
	mprof_parser *parser = open_fed(&bytes);
	mprof_block block = fresh_block();

	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.counter_delta, 0);
	cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_OK);
	cr_assert_eq(block.header_length, 10);
	cr_assert_eq(block.counter_delta, 0xf1020304);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_END);
	cr_assert_eq(block.counter_delta, 0xf1020304);
	cr_assert_eq(block.start.counter, 2);
	cr_assert_eq(mprof_parser_is_complete(parser), 1);
	mprof_parser_destroy(parser);
}
