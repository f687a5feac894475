/* SPDX-License-Identifier: MIT */
/**
 * \file heap/varint_stream.h
 * \brief A list of numbers in memory, stored as varints. It is written once and then read from the start, any number of
 * times.
 *
 * It is kept in chunks, so that it never has to be copied, and so that the last reading can free what it has read.
 */
#ifndef HEAP_VARINT_STREAM_H
#define HEAP_VARINT_STREAM_H

#include "base/allocator.h"
#include "format/varint.h"

typedef struct varint_chunk {
	struct varint_chunk *next;
	uint32_t length;   /**< Bytes that are used. */
	uint32_t capacity; /**< Bytes that there is room for. */
	uint8_t bytes[];
} varint_chunk;

typedef struct varint_stream {
	const mprof_allocator *allocator;
	varint_chunk *first;
	varint_chunk *last;
} varint_stream;

typedef struct varint_stream_cursor {
	varint_stream *stream;
	varint_chunk *chunk;
	const uint8_t *next;
	const uint8_t *limit;
	int is_releasing; /**< Chunks are freed when they have been read. */
} varint_stream_cursor;

/** The allocator must stay at its address until the stream is destroyed. */
void varint_stream_init(varint_stream *stream, const mprof_allocator *allocator);

/** Frees the numbers; the stream can be used again. */
void varint_stream_destroy(varint_stream *stream);

/** The slow path of varint_stream_reserve(). */
int varint_stream_add_chunk(varint_stream *stream);

/** Makes room for 4 numbers. Returns 0, changing nothing, if there is no memory. */
static inline int varint_stream_reserve(varint_stream *stream)
{
	const varint_chunk *last = stream->last;

	return (last != NULL && last->capacity - last->length >= 4 * MPROF_VARINT_MAX_LENGTH) ||
	       varint_stream_add_chunk(stream);
}

/** Appends a number, for which there is room. */
static inline void varint_stream_put(varint_stream *stream, uint64_t value)
{
	varint_chunk *last = stream->last;

	last->length = (uint32_t)(varint_put(last->bytes + last->length, value) - last->bytes);
}

/** Starts to read a stream. If \p is_releasing, nothing can be read a second time. */
void varint_stream_begin(varint_stream_cursor *cursor, varint_stream *stream, int is_releasing);

/** The slow path of varint_stream_get(). */
void varint_stream_next_chunk(varint_stream_cursor *cursor);

/** Reads the next number. There must be one. */
static inline uint64_t varint_stream_get(varint_stream_cursor *cursor)
{
	uint64_t value = 0;

	if (cursor->next == cursor->limit)
		varint_stream_next_chunk(cursor);
	cursor->next = varint_get(cursor->next, cursor->limit, &value);
	return value;
}

#endif
