/* SPDX-License-Identifier: MIT */
/**
 * \file writer_fixture.h
 * \brief Creates writers with a counting clock, and inspects the blocks that they write.
 */
#ifndef WRITER_WRITER_FIXTURE_H
#define WRITER_WRITER_FIXTURE_H

#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include "base/bytes.h"
#include "base/checksum.h"

#include <criterion/criterion.h>

#include <string.h>

/** The last counter of the clock. */
static uint64_t ticks;

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)
#define ALL_DIRECTIVES                                                                                                 \
	(BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |                             \
	 BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS) |    \
	 BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |                                  \
	 BIT(MPROF_DIRECTIVE_CLASS_SIZES) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |                                 \
	 BIT(MPROF_DIRECTIVE_DETAILED_EVENTS))

/* Counter 1, 2, 3, ... and time 5. */
static inline void tick(void *user, mprof_clock *clock)
{
	clock->counter = ++*(uint64_t *)user;
	clock->time = 5;
}

static inline mprof_writer_options options_of(uint32_t dialect, uint64_t directives)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.clock = tick;
	options.clock_user = &ticks;
	ticks = 0;
	return options;
}

static inline mprof_writer *open_plain(uint32_t dialect, uint64_t directives)
{
	mprof_writer_options options = options_of(dialect, directives);
	mprof_writer *writer = NULL;

	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	return writer;
}

static inline size_t log_length(const mprof_writer *writer)
{
	const uint8_t *bytes;
	size_t length = 0;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	return length;
}

/* The content of the block with index \p n; its code must be right and its checksum match. */
static inline const uint8_t *block_at(const mprof_writer *writer, size_t n, uint32_t code, size_t *content_length)
{
	size_t checksum_length = writer->encoding.rules->checksum_length;
	size_t header_length = writer->encoding.rules->header_length;
	const uint8_t *bytes;
	size_t length;
	size_t block_length;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	for (;; n--) {
		cr_assert_geq(length, header_length);
		block_length = bytes_load_32(bytes + 2);
		cr_assert_leq(block_length, length - header_length);
		if (n == 0)
			break;
		bytes += header_length + block_length;
		length -= header_length + block_length;
	}
	cr_assert_eq(bytes_load_16(bytes), code, "block %u instead of %u", bytes_load_16(bytes), code);
	if (checksum_length > 0)
		cr_assert_eq(bytes_load_32(bytes + 6 + block_length - 4),
			     checksum_update_portable(0, bytes, 6 + block_length - 4));
	*content_length = block_length - checksum_length;
	return bytes + header_length;
}

static inline void expect_block(const mprof_writer *writer, size_t n, uint32_t code, const char *expected,
				size_t length)
{
	size_t content_length;
	const uint8_t *content = block_at(writer, n, code, &content_length);

	cr_assert_eq(content_length, length, "block %zu: %zu bytes instead of %zu", n, content_length, length);
	for (size_t i = 0; i < length; i++)
		cr_assert_eq(content[i], (uint8_t)expected[i], "block %zu, byte %zu: %02x", n, i, content[i]);
}

#define EXPECT_BLOCK(writer, n, code, expected) expect_block(writer, n, code, expected, sizeof(expected) - 1)

static inline void expect_error(const mprof_writer *writer, mprof_status status, mprof_severity severity)
{
	mprof_error error = {.struct_size = sizeof(error)};

	cr_assert_eq(mprof_writer_get_error(writer, &error), MPROF_OK);
	cr_assert_eq(error.status, status, "%s", error.what);
	cr_assert_eq(error.severity, severity, "%s", error.what);
	cr_assert_not_null(error.what);
}

static inline mprof_writer_stats stats_of(const mprof_writer *writer)
{
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_writer_get_stats(writer, &stats), MPROF_OK);
	return stats;
}

static inline mprof_status define_class(mprof_writer *writer, uint32_t id, const char *name)
{
	mprof_class_definition definition = {.struct_size = sizeof(mprof_class_definition),
					     .id = id,
					     .assembly_id = 3,
					     .name = name,
					     .name_length = strlen(name),
					     .size = 24};

	return mprof_writer_define_class(writer, &definition);
}

static inline mprof_status define_method(mprof_writer *writer, uint32_t id, uint32_t class_id, const char *name)
{
	mprof_method_definition definition = {sizeof(mprof_method_definition),
					      id,
					      class_id,
					      MPROF_METHOD_FLAG_WRAPPER,
					      0,
					      name,
					      strlen(name),
					      NULL,
					      0,
					      0,
					      0};

	return mprof_writer_define_method(writer, &definition);
}

static inline mprof_event event_of(uint32_t kind, uint32_t id, uint64_t counter)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.counter = counter;
	return event;
}

#endif
