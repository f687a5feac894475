/* SPDX-License-Identifier: MIT */
/* Keeps the records of many streams in one temporary file. */
#include "export/spool.h"

#include <stdlib.h>
#include <string.h>

#define MIN_BUFFER ((size_t)1 << 10)
#define MAX_BUFFER ((size_t)1 << 16)

static int reserve_part(spool_stream *stream)
{
	size_t capacity = 2 * stream->part_capacity + 8;
	spool_part *parts;

	if (stream->part_count < stream->part_capacity)
		return 1;
	parts = realloc(stream->parts, capacity * sizeof(*parts));
	if (parts == NULL)
		return 0;
	stream->parts = parts;
	stream->part_capacity = capacity;
	return 1;
}

/* Writes the buffer of a stream to the file. */
static int write_buffer(spool *all, spool_stream *stream)
{
	if (all->file == NULL)
		all->file = tmpfile();
	if (all->file == NULL || !reserve_part(stream) ||
	    fwrite(stream->buffer, 1, stream->used, all->file) != stream->used)
		return 0;
	stream->parts[stream->part_count].offset = all->used;
	stream->parts[stream->part_count++].size = stream->used;
	all->used += stream->used;
	stream->used = 0;
	return 1;
}

static int make_room(spool *all, spool_stream *stream, size_t size)
{
	size_t capacity = stream->capacity < MIN_BUFFER ? MIN_BUFFER : 4 * stream->capacity;
	unsigned char *buffer;

	if (size <= stream->capacity - stream->used)
		return 1;
	if (stream->capacity >= MAX_BUFFER)
		return write_buffer(all, stream);
	buffer = realloc(stream->buffer, capacity);
	if (buffer == NULL)
		return 0;
	stream->buffer = buffer;
	stream->capacity = capacity;
	return 1;
}

void spool_add(spool *all, spool_stream *stream, const void *record, size_t size)
{
	if (all->has_failed)
		return;
	if (!make_room(all, stream, size)) {
		all->has_failed = 1;
		return;
	}
	memcpy(stream->buffer + stream->used, record, size);
	stream->used += size;
}

static void visit_bytes(const unsigned char *bytes, size_t length, size_t size,
			void (*visit)(void *user, const void *record), void *user)
{
	for (size_t i = 0; i + size <= length; i += size)
		visit(user, bytes + i);
}

void spool_read(spool *all, const spool_stream *stream, size_t size, void (*visit)(void *user, const void *record),
		void *user)
{
	/* Aligned for any record. */
	static uint64_t part[MAX_BUFFER / sizeof(uint64_t)];

	for (size_t i = 0; i < stream->part_count && !all->has_failed; i++) {
		size_t length = (size_t)stream->parts[i].size;

		if (fseeko(all->file, (off_t)stream->parts[i].offset, SEEK_SET) != 0 ||
		    fread(part, 1, length, all->file) != length)
			all->has_failed = 1;
		else
			visit_bytes((const unsigned char *)part, length, size, visit, user);
	}
	if (stream->used > 0)
		visit_bytes(stream->buffer, stream->used, size, visit, user);
}

void spool_stream_release(spool_stream *stream)
{
	free(stream->buffer);
	free(stream->parts);
	memset(stream, 0, sizeof(*stream));
}

void spool_release(spool *all)
{
	if (all->file != NULL)
		fclose(all->file);
	memset(all, 0, sizeof(*all));
}
