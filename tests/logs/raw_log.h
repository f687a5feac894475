/* SPDX-License-Identifier: MIT */
/**
 * \file raw_log.h
 * \brief Builds logs of drop, mono and mail byte by byte, including content that no writer should produce.
 */
#ifndef LOGS_RAW_LOG_H
#define LOGS_RAW_LOG_H

#include "parser/parser_fixture.h"

#include "format/values/varint.h"

/** Codes of blocks in drop, mono and unity; EVENTS of mail has another one. */
enum {
	CODE_INTRO = 1,
	CODE_EVENTS_OF_MAIL = 5,
	CODE_EVENTS = 6,
	CODE_HEAP = 8,
	CODE_SUMMARY = 9,
	CODE_DIRECTIVES = 10
};

/** Start time of the logs, in microseconds since 1970. */
#define RAW_LOG_TIME UINT64_C(1200000000000000)

typedef struct log_builder {
	uint8_t bytes[4096];
	size_t length;
	uint32_t header_length;
	size_t offsets[32]; /**< Of the blocks. */
	size_t count;
} log_builder;

static log_builder builder;

static inline void put_byte(uint8_t byte)
{
	cr_assert_lt(builder.length, sizeof(builder.bytes));
	builder.bytes[builder.length++] = byte;
}

static inline void put(uint64_t value)
{
	cr_assert_lt(builder.length + MPROF_VARINT_MAX_LENGTH, sizeof(builder.bytes));
	builder.length = (size_t)(varint_put(builder.bytes + builder.length, value) - builder.bytes);
}

static inline void put_bytes(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		put_byte((uint8_t)bytes[i]);
}

static inline void begin_block(uint32_t code)
{
	builder.offsets[builder.count++] = builder.length;
	put_byte((uint8_t)code);
	for (uint32_t i = 1; i < builder.header_length; i++)
		put_byte(0);
}

static inline void end_block(void)
{
	size_t offset = builder.offsets[builder.count - 1];

	bytes_store_32(builder.bytes + offset + 2, (uint32_t)(builder.length - offset - builder.header_length));
}

static inline void begin_log(uint32_t header_length, uint64_t counter)
{
	memset(&builder, 0, sizeof(builder));
	builder.header_length = header_length;
	begin_block(CODE_INTRO);
	put(1);
	put_bytes("mono", 5);
	put(0);
	put(counter);
	put(RAW_LOG_TIME);
	end_block();
}

static inline void begin_events(uint32_t code, uint64_t thread, uint64_t base)
{
	begin_block(code);
	put(base);
	put(1);
	put(thread);
	put(base);
}

static inline void end_events(void)
{
	put_byte(0);
	put(UINT64_C(1) << 40);
	put(2);
	end_block();
}

/** A parser that was fed the whole log and has read INTRO. */
static inline mprof_parser *open_log(void)
{
	mprof_parser *parser = open_parser();
	mprof_block block = fresh_block();

	cr_assert_eq(mprof_parser_feed(parser, builder.bytes, builder.length), MPROF_OK);
	mprof_parser_finish(parser);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK, "%s", parser_error_of(parser).what);
	cr_assert_eq(block.kind, MPROF_BLOCK_INTRO);
	return parser;
}

#endif
