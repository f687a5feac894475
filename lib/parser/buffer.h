/* SPDX-License-Identifier: MIT */
/**
 * \file parser/buffer.h
 * \brief The bytes that a parser was fed and has not left behind yet, in one piece.
 */
#ifndef PARSER_BUFFER_H
#define PARSER_BUFFER_H

#include "base/allocator.h"

typedef struct parser_buffer {
	mprof_allocator allocator;
	uint8_t *memory;
	size_t capacity;
	size_t begin;    /**< In memory: the first byte kept. */
	size_t end;      /**< In memory: behind the last byte kept. */
	size_t lent;     /**< Room that was lent and may be filled. */
	uint64_t offset; /**< In the log: of the first byte kept. */
} parser_buffer;

void parser_buffer_init(parser_buffer *buffer, const mprof_allocator *allocator);
void parser_buffer_destroy(parser_buffer *buffer);

/** The bytes kept; not NULL even if there are none and never were. */
static inline const uint8_t *parser_buffer_bytes(const parser_buffer *buffer)
{
	static const uint8_t none[1];

	return buffer->memory != NULL ? buffer->memory + buffer->begin : none;
}

static inline size_t parser_buffer_length(const parser_buffer *buffer)
{
	return buffer->end - buffer->begin;
}

/** Offset in the log of the first byte that was not fed yet. */
static inline uint64_t parser_buffer_end(const parser_buffer *buffer)
{
	return buffer->offset + parser_buffer_length(buffer);
}

/**
 * Makes room for \p minimum bytes behind those kept, which may move. Returns 0, changing nothing, if there is no
 * memory. Each byte is moved only a few times however small the pieces are: bytes are moved to the front of the
 * memory only when they fill at most half of it, and else the memory is doubled.
 */
int parser_buffer_reserve(parser_buffer *buffer, size_t minimum);

/** Leaves the first \p length bytes behind. */
static inline void parser_buffer_drop(parser_buffer *buffer, size_t length)
{
	buffer->begin += length;
	buffer->offset += length;
}

/** Leaves all behind and goes on at another place of the log. */
void parser_buffer_restart(parser_buffer *buffer, uint64_t offset);

#endif
