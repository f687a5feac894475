/* SPDX-License-Identifier: MIT */
/**
 * \file parser_fixture.h
 * \brief Creates parsers, moves them to a block, and inspects their errors.
 */
#ifndef PARSER_PARSER_FIXTURE_H
#define PARSER_PARSER_FIXTURE_H

#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <string.h>

#define MPROF2 MPROF_DIALECT_MPROF2
#define MAIL MPROF_DIALECT_MAIL

/** The blocks of log_make(MPROF2, ...) by index. */
enum {
	NUMBER_INTRO,
	NUMBER_DIRECTIVES, /**< Only if the log has directives. */
	NUMBER_DOMAIN,
	NUMBER_ASSEMBLY,
	NUMBER_UNLOADED,
	NUMBER_MAPPING,
	NUMBER_EVENTS,
	NUMBER_STATISTICAL
};

static inline mprof_parser *open_parser(void)
{
	mprof_parser *parser = NULL;

	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	cr_assert_not_null(parser);
	return parser;
}

/** A parser that was fed a whole log. */
static inline mprof_parser *open_fed(const log_bytes *log)
{
	mprof_parser *parser = open_parser();

	cr_assert_eq(mprof_parser_feed(parser, log->bytes, log->length), MPROF_OK);
	mprof_parser_finish(parser);
	return parser;
}

static inline mprof_block fresh_block(void)
{
	mprof_block block;

	memset(&block, 0, sizeof(block));
	mprof_block_init(&block, sizeof(block));
	return block;
}

static inline void expect_next_header(mprof_parser *parser, mprof_block_kind kind, mprof_block *block)
{
	*block = fresh_block();
	cr_assert_eq(mprof_parser_next_header(parser, block), MPROF_OK);
	cr_assert_eq(block->kind, kind, "%s", mprof_block_get_name(block->kind));
	cr_assert_eq(block->loaded, 0);
}

/** Moves on to the header of the block with an index. */
static inline mprof_block go_to(mprof_parser *parser, size_t number)
{
	mprof_block block = fresh_block();

	for (size_t i = 0; i <= number; i++)
		cr_assert_eq(mprof_parser_next_header(parser, &block), MPROF_OK);
	return block;
}

static inline void expect_error(const mprof_parser *parser, mprof_status status, mprof_severity severity,
				uint64_t offset)
{
	mprof_error error = parser_error_of(parser);

	cr_assert_eq(error.status, status, "%s", error.what);
	cr_assert_eq(error.severity, severity, "%s", error.what);
	cr_assert_eq(error.offset, offset, "at %llu: %s", (unsigned long long)error.offset, error.what);
	cr_assert_eq(error.offset, error.block_offset + error.offset_in_block);
}

#endif
