/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/encode_buffer.h
 * \brief A growing buffer of encoded bytes that keeps its memory when emptied and records the first failure.
 *
 * The functions that append do nothing after a failure, so the caller encodes a whole block and checks
 * encode_buffer::status once.
 */
#ifndef FORMAT_VALUES_ENCODE_BUFFER_H
#define FORMAT_VALUES_ENCODE_BUFFER_H

#include "base/allocator.h"
#include "format/values/varint.h"

typedef struct encode_buffer {
	mprof_allocator allocator;
	uint8_t *bytes;
	size_t length;
	size_t capacity;
	size_t limit;        /**< Maximum length in bytes; appending more fails with #MPROF_ERR_LIMIT. */
	size_t clock_start;  /**< Where the last CLOCK that was appended begins. */
	size_t clock_end;    /**< Where it ends. */
	mprof_status status; /**< #MPROF_OK, #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT. */
} encode_buffer;

/** Initializes an empty buffer without memory. \p allocator is copied. \p limit is the maximum length in bytes. */
void encode_buffer_init(encode_buffer *buffer, const mprof_allocator *allocator, size_t limit);
void encode_buffer_destroy(encode_buffer *buffer);

/** Empties the buffer and resets the status. The memory is kept. */
static inline void encode_buffer_clear(encode_buffer *buffer)
{
	buffer->length = 0;
	buffer->clock_start = 0;
	buffer->clock_end = 0;
	buffer->status = MPROF_OK;
}

/** Truncates the buffer to an earlier length and resets the status. */
static inline void encode_buffer_truncate(encode_buffer *buffer, size_t length)
{
	buffer->length = length;
	if (buffer->clock_end > length)
		buffer->clock_end = 0;
	buffer->status = MPROF_OK;
}

/** The slow path of encode_buffer_reserve(). */
int encode_buffer_grow(encode_buffer *buffer, size_t more);

/** Reserves room for \p more bytes. On failure it returns 0 and stores the reason in encode_buffer::status. */
static inline int encode_buffer_reserve(encode_buffer *buffer, size_t more)
{
	if (buffer->status == MPROF_OK && more <= buffer->capacity - buffer->length &&
	    more <= buffer->limit - buffer->length)
		return 1;
	return encode_buffer_grow(buffer, more);
}

void encode_bytes(encode_buffer *buffer, const void *bytes, size_t length);
void encode_byte(encode_buffer *buffer, uint8_t byte);
void encode_varint(encode_buffer *buffer, uint64_t value);

/** A STRING: \p length bytes, none of them 00, and the terminating 00. */
void encode_string(encode_buffer *buffer, const char *text, size_t length);

/** A CLOCK. */
void encode_clock(encode_buffer *buffer, const mprof_clock *clock);

#endif
