/* SPDX-License-Identifier: MIT */
/**
 * \file format/encode_buffer.h
 * \brief Bytes being encoded. Grows, is emptied without being freed, and remembers the first failure.
 *
 * The functions that append do nothing after a failure, so a whole block is encoded first and encode_buffer::status
 * looked at once.
 */
#ifndef FORMAT_ENCODE_BUFFER_H
#define FORMAT_ENCODE_BUFFER_H

#include "base/allocator.h"
#include "format/varint.h"

typedef struct encode_buffer {
	mprof_allocator allocator;
	uint8_t *bytes;
	size_t length;
	size_t capacity;
	size_t limit;        /**< Most bytes; appending more fails with #MPROF_ERR_LIMIT. */
	mprof_status status; /**< #MPROF_OK, #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT. */
} encode_buffer;

void encode_buffer_init(encode_buffer *buffer, const mprof_allocator *allocator, size_t limit);
void encode_buffer_destroy(encode_buffer *buffer);

/** Makes it empty and forgets a failure; keeps the memory. */
static inline void encode_buffer_clear(encode_buffer *buffer)
{
	buffer->length = 0;
	buffer->status = MPROF_OK;
}

/** Makes it as short as it was and forgets a failure since. */
static inline void encode_buffer_cut(encode_buffer *buffer, size_t length)
{
	buffer->length = length;
	buffer->status = MPROF_OK;
}

/** The slow half of encode_buffer_reserve(). */
int encode_buffer_grow(encode_buffer *buffer, size_t more);

/** Makes room for \p more bytes. Returns 0 and keeps the reason in encode_buffer::status if there is none. */
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

/** A STRING: \p length bytes without a 00 among them, and the 00 that ends it. */
void encode_string(encode_buffer *buffer, const char *text, size_t length);

/** A CLOCK. */
void encode_clock(encode_buffer *buffer, const mprof_clock *clock);

#endif
