/* SPDX-License-Identifier: MIT */
/* Keeps numbers as varints in chunks of growing size. */
#include "heap/varint_stream.h"

#define FIRST_CHUNK_BYTES 4096
#define MAX_CHUNK_BYTES (UINT32_C(1) << 18)

void varint_stream_init(varint_stream *stream, const mprof_allocator *allocator)
{
	stream->allocator = allocator;
	stream->first = NULL;
	stream->last = NULL;
}

static void release_first_chunk(varint_stream *stream)
{
	varint_chunk *chunk = stream->first;

	stream->first = chunk->next;
	if (stream->first == NULL)
		stream->last = NULL;
	allocator_release(stream->allocator, chunk, sizeof(*chunk) + chunk->capacity);
}

void varint_stream_destroy(varint_stream *stream)
{
	while (stream->first != NULL)
		release_first_chunk(stream);
}

int varint_stream_add_chunk(varint_stream *stream)
{
	uint32_t size = stream->last == NULL ? FIRST_CHUNK_BYTES : (stream->last->capacity + sizeof(varint_chunk)) * 2;
	varint_chunk *chunk;

	if (size > MAX_CHUNK_BYTES)
		size = MAX_CHUNK_BYTES;
	chunk = allocator_allocate(stream->allocator, size);
	if (chunk == NULL)
		return 0;
	chunk->next = NULL;
	chunk->length = 0;
	chunk->capacity = size - (uint32_t)sizeof(*chunk);
	if (stream->last != NULL)
		stream->last->next = chunk;
	else
		stream->first = chunk;
	stream->last = chunk;
	return 1;
}

static void enter_chunk(varint_stream_cursor *cursor, varint_chunk *chunk)
{
	cursor->chunk = chunk;
	cursor->next = chunk != NULL ? chunk->bytes : NULL;
	cursor->limit = chunk != NULL ? chunk->bytes + chunk->length : NULL;
}

void varint_stream_begin(varint_stream_cursor *cursor, varint_stream *stream, int is_releasing)
{
	cursor->stream = stream;
	cursor->is_releasing = is_releasing;
	enter_chunk(cursor, stream->first);
}

void varint_stream_next_chunk(varint_stream_cursor *cursor)
{
	varint_chunk *next = cursor->chunk->next;

	if (cursor->is_releasing)
		release_first_chunk(cursor->stream);
	enter_chunk(cursor, next);
}
