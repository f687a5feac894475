/* SPDX-License-Identifier: MIT */
/**
 * \file block_fixture.h
 * \brief Decodes the content of hand-written blocks.
 */
#ifndef FORMAT_BLOCK_FIXTURE_H
#define FORMAT_BLOCK_FIXTURE_H

#include "format/blocks/block_decode.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

typedef struct decoded {
	mprof_block block;
	block_body body;
	content_cursor cursor;
	mprof_status status;
	block_decoding decoding;
	const uint8_t *content;
	size_t length;
} decoded;

static inline decoded decode(mprof_dialect dialect, uint64_t directives, mprof_block_kind kind, const char *content,
			     size_t length)
{
	/* Static: the returned block has pointers into it. Valid until the next block is decoded. */
	static block_body body;
	decoded result;

	memset(&result, 0, sizeof(result));
	memset(&body, 0, sizeof(body));
	result.decoding.rules = dialect_get(dialect);
	result.decoding.directives = directives;
	result.decoding.max_name_length = 20;
	result.block.kind = kind;
	result.content = (const uint8_t *)content;
	result.length = length;
	result.status = block_decode(&result.decoding, result.content, length, &result.block, &body, &result.cursor);
	result.body = body;
	return result;
}

#define DECODE(dialect, directives, kind, content)                                                                     \
	decode(dialect, directives, MPROF_BLOCK_##kind, content, sizeof(content) - 1)

static inline void expect_fault(const decoded *result, mprof_status status, size_t position)
{
	cr_assert_eq(result->status, status, "%s", mprof_status_get_text(result->status));
	cr_assert_eq(result->cursor.position, position, "%zu: %s", result->cursor.position, result->cursor.what);
}

#define EXPECT_FAULT(status, position, dialect, directives, kind, content)                                             \
	do {                                                                                                           \
		decoded fault = DECODE(dialect, directives, kind, content);                                            \
		expect_fault(&fault, status, position);                                                                \
	} while (0)

/** Expects that the block is refused if it is truncated anywhere or has an additional byte. */
static inline void expect_exact(mprof_dialect dialect, uint64_t directives, mprof_block_kind kind, const char *content,
				size_t length)
{
	char longer[256];
	decoded result;

	for (size_t cut = 0; cut < length; cut++) {
		char copy[256];

		memcpy(copy, content, cut);
		result = decode(dialect, directives, kind, copy, cut);
		cr_assert_eq(result.status, MPROF_ERR_MALFORMED, "kind %d cut to %zu", (int)kind, cut);
	}
	memcpy(longer, content, length);
	longer[length] = 0x55;
	result = decode(dialect, directives, kind, longer, length + 1);
	cr_assert_eq(result.status, MPROF_ERR_MALFORMED, "kind %d with a byte more", (int)kind);
}

#define EXPECT_EXACT(dialect, directives, kind, content)                                                               \
	expect_exact(dialect, directives, MPROF_BLOCK_##kind, content, sizeof(content) - 1)

/** The definitions of a MAPPING block, as "class 1 in 0 A, method 2 of 1 flags 0 B, ". */
static inline void expect_mappings(decoded *result, const char *expected)
{
	mapping_cursor cursor;
	mprof_mapping mapping;
	char text[1024] = "";
	size_t length = 0;

	cr_assert_eq(result->status, MPROF_OK, "%s at %zu", result->cursor.what, result->cursor.position);
	block_mappings_begin(&cursor, &result->decoding, result->content, result->length, &result->body);
	while (mapping_cursor_next(&cursor, &mapping)) {
		if (mapping.is_method)
			length += (size_t)snprintf(text + length, sizeof(text) - length,
						   "method %u of %u flags %u %s, ", (unsigned)mapping.id,
						   (unsigned)mapping.class_id, (unsigned)mapping.flags, mapping.name);
		else
			length += (size_t)snprintf(text + length, sizeof(text) - length, "class %u in %u %s, ",
						   (unsigned)mapping.id, (unsigned)mapping.assembly_id, mapping.name);
	}
	cr_assert_eq(cursor.content.status, MPROF_OK);
	cr_assert_str_eq(text, expected);
}

#endif
