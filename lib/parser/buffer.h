/* SPDX-License-Identifier: MIT */
/**
 * \file parser/buffer.h
 * \brief The contiguous bytes that a parser was fed and has not consumed yet.
 */
#ifndef PARSER_BUFFER_H
#define PARSER_BUFFER_H

#include "base/allocator.h"

typedef struct parser_buffer {
	mprof_allocator allocator;
	uint8_t *memory; /**< The buffer's own memory. */
	size_t capacity;
	const uint8_t *bytes; /**< What begin and end are indices of: memory, or memory of the caller. */
	size_t begin;         /**< Index of the first byte kept. */
	size_t end;           /**< Index after the last byte kept. */
	size_t lent;          /**< Bytes after the end that the caller may fill until it commits them. */
	uint64_t offset;      /**< Offset in the log of the first byte kept. */
} parser_buffer;

void parser_buffer_init(parser_buffer *buffer, const mprof_allocator *allocator);
void parser_buffer_destroy(parser_buffer *buffer);

/** Returns the bytes kept. Never NULL, even before anything was fed. Valid until the buffer changes. */
static inline const uint8_t *parser_buffer_bytes(const parser_buffer *buffer)
{
	static const uint8_t none[1];

	return buffer->bytes != NULL ? buffer->bytes + buffer->begin : none;
}

static inline size_t parser_buffer_length(const parser_buffer *buffer)
{
	return buffer->end - buffer->begin;
}

/** Returns the offset in the log of the next byte to be fed. */
static inline uint64_t parser_buffer_end(const parser_buffer *buffer)
{
	return buffer->offset + parser_buffer_length(buffer);
}

/**
 * Makes room in the buffer's own memory for \p minimum bytes after those kept, which may move. Returns 0 and changes
 * nothing if out of memory. The cost is amortized even if the bytes are fed in small pieces: the bytes kept are moved
 * to the front of the memory only if they fill at most half of it; otherwise the memory is doubled.
 */
int parser_buffer_reserve(parser_buffer *buffer, size_t minimum);

/**
 * Appends bytes without a copy, if nothing is kept or the bytes kept were appended like this and end where \p bytes
 * starts. Otherwise copies them. They must remain valid and unchanged until they are discarded. Returns 0 and changes
 * nothing if out of memory.
 */
int parser_buffer_append_borrowed(parser_buffer *buffer, const uint8_t *bytes, size_t length);

/** Discards the first \p length bytes. */
static inline void parser_buffer_drop(parser_buffer *buffer, size_t length)
{
	buffer->begin += length;
	buffer->offset += length;
}

/** Discards all bytes and continues at another offset of the log. */
void parser_buffer_restart(parser_buffer *buffer, uint64_t offset);

#endif
