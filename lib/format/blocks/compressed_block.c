/* SPDX-License-Identifier: MIT */
/* Decodes the fields of COMPRESSED blocks, and chooses what writers leave uncompressed. */
#include "format/blocks/compressed_block.h"

#include "format/values/varint.h"

#include <string.h>

int compressed_block_may_store(const dialect_rules *rules, uint32_t code)
{
	mprof_block_kind kind = dialect_block_kind(rules, code);

	return code > 0 && code <= UINT8_MAX && !block_is_compressed(rules, code) && kind != MPROF_BLOCK_INDEX &&
	       kind != MPROF_BLOCK_INTRO && kind != MPROF_BLOCK_END && kind != MPROF_BLOCK_DIRECTIVES;
}

static mprof_status fail_field(content_cursor *cursor, size_t position, const char *what)
{
	return content_cursor_fail(cursor, position, MPROF_ERR_MALFORMED, what);
}

/* Decodes a length that fits into what \p limit bytes leave. */
static uint32_t decode_length(content_cursor *cursor, uint64_t limit, const char *what)
{
	size_t start = cursor->position;
	uint64_t length = content_cursor_varint(cursor);

	if (length <= limit)
		return (uint32_t)length;
	fail_field(cursor, start, what);
	return 0;
}

static mprof_status decode_fields(const dialect_rules *rules, content_cursor *cursor, compressed_block *block)
{
	size_t start = cursor->position;
	uint64_t code = content_cursor_varint(cursor);

	if (cursor->status == MPROF_OK && (code > UINT8_MAX || !compressed_block_may_store(rules, (uint32_t)code)))
		return fail_field(cursor, start, "a block of this code is not stored in compressed blocks");
	block->code = (uint32_t)code;
	start = cursor->position;
	block->codec = content_cursor_varint(cursor);
	if (cursor->status == MPROF_OK && block->codec == 0)
		return fail_field(cursor, start, "the codec of the compressed block is 0");
	block->unpacked_length = decode_length(cursor, UINT32_MAX, "the unpacked length exceeds 32 bits");
	block->head_length = decode_length(cursor, block->unpacked_length, "the head is longer than the block");
	block->tail_length = decode_length(cursor, block->unpacked_length - block->head_length,
					   "head and tail are longer than the block");
	return cursor->status;
}

mprof_status compressed_block_decode(const dialect_rules *rules, content_cursor *cursor, size_t stored_length,
				     compressed_block *block)
{
	size_t start = cursor->position;
	size_t stored;
	size_t available;

	memset(block, 0, sizeof(*block));
	if (decode_fields(rules, cursor, block) != MPROF_OK)
		return cursor->status;
	stored = stored_length - cursor->position;
	if (stored < (uint64_t)block->head_length + block->tail_length)
		return fail_field(cursor, start, "head and tail are longer than the compressed block");
	available = cursor->length - cursor->position;
	block->head = cursor->bytes + cursor->position;
	block->head_available = block->head_length < available ? block->head_length : available;
	available -= block->head_available;
	stored -= block->head_length;
	block->packed = block->head + block->head_available;
	block->packed_available = stored - block->tail_length < available ? stored - block->tail_length : available;
	if (available == stored)
		block->tail = block->packed + block->packed_available;
	return MPROF_OK;
}

/* The number of INTs that a block begins with and that are of use without the rest. */
static unsigned int leading_ints(const dialect_rules *rules, uint32_t code)
{
	if (rules->column_code != 0 && code == rules->column_code)
		return 5;
	switch (dialect_block_kind(rules, code)) {
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
		return 4;
	case MPROF_BLOCK_MAPPING:
	case MPROF_BLOCK_LOST:
	case MPROF_BLOCK_THREAD:
		return 3;
	case MPROF_BLOCK_HEAP_DATA:
		return 6;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
	case MPROF_BLOCK_UNKNOWN:
		return 0;
	case MPROF_BLOCK_STATISTICAL:
		return 1;
	default:
		return 2;
	}
}

size_t compressed_block_head_length(const dialect_rules *rules, uint32_t code, const uint8_t *content, size_t length)
{
	const uint8_t *cursor = content;
	uint64_t value;

	for (unsigned int remaining = leading_ints(rules, code); remaining > 0; remaining--) {
		if (varint_read(&cursor, content + length, &value) != 1)
			return 0;
	}
	return (size_t)(cursor - content);
}
