/* SPDX-License-Identifier: MIT */
/* Writes the records of an HPROF file. */
#include "export/hprof_stream.h"

#include <string.h>

#define SEGMENT 0x1c
#define SEGMENT_END 0x2c
#define HEADER_SIZE 9
#define MAX_NUMBER_SIZE 8

static void encode(unsigned char *bytes, uint64_t number, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(number >> 8 * (size - 1 - i));
}

/* The time of all records is that of the head. */
static void write_header(hprof_stream *stream, uint32_t code, uint64_t length)
{
	unsigned char header[HEADER_SIZE] = {(unsigned char)code};

	encode(header + 5, length, 4);
	fwrite(header, 1, sizeof(header), stream->stream);
}

/* Writes what is buffered: a whole segment, or a part of one whose header has been written. */
static void write_buffer(hprof_stream *stream)
{
	if (stream->used > 0 && !stream->is_direct)
		write_header(stream, SEGMENT, stream->used);
	fwrite(stream->buffer, 1, stream->used, stream->stream);
	stream->used = 0;
}

void hprof_begin(hprof_stream *stream, FILE *file, uint32_t id_size, uint64_t time_ms)
{
	static const char magic[] = "JAVA PROFILE 1.0.2";

	stream->stream = file;
	stream->id_size = id_size;
	stream->is_direct = 1;
	hprof_bytes(stream, magic, sizeof(magic));
	hprof_number(stream, id_size, 4);
	hprof_number(stream, time_ms, 8);
}

void hprof_begin_record(hprof_stream *stream, uint32_t code, uint64_t length)
{
	write_buffer(stream);
	write_header(stream, code, length);
	stream->is_direct = 1;
}

void hprof_begin_part(hprof_stream *stream, uint32_t code, uint64_t length)
{
	if (stream->is_direct || length > HPROF_BUFFER_SIZE - stream->used)
		write_buffer(stream);
	stream->is_direct = length > HPROF_BUFFER_SIZE;
	if (stream->is_direct)
		write_header(stream, SEGMENT, length);
	hprof_number(stream, code, 1);
}

void hprof_number(hprof_stream *stream, uint64_t number, uint32_t size)
{
	/* Only a record whose header has been written can exceed the buffer. */
	if (HPROF_BUFFER_SIZE - stream->used < MAX_NUMBER_SIZE && stream->is_direct)
		write_buffer(stream);
	encode(stream->buffer + stream->used, number, size);
	stream->used += size;
}

void hprof_id(hprof_stream *stream, uint64_t id)
{
	hprof_number(stream, id, stream->id_size);
}

void hprof_bytes(hprof_stream *stream, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	while (size > 0) {
		size_t part = HPROF_BUFFER_SIZE - stream->used;

		part = part < size ? part : size;
		memcpy(stream->buffer + stream->used, from, part);
		stream->used += part;
		from += part;
		size -= part;
		if (size > 0)
			write_buffer(stream);
	}
}

void hprof_zeros(hprof_stream *stream, uint64_t count)
{
	while (count > 0) {
		uint64_t part = HPROF_BUFFER_SIZE - stream->used;

		part = part < count ? part : count;
		memset(stream->buffer + stream->used, 0, (size_t)part);
		stream->used += (size_t)part;
		count -= part;
		if (count == 0)
			return;
		write_buffer(stream);
		/* The end of the heap dump follows, so the file does not end with what is skipped. */
		if (stream->can_skip && count <= INT64_MAX && fseeko(stream->stream, (off_t)count, SEEK_CUR) == 0)
			return;
	}
}

void hprof_end(hprof_stream *stream)
{
	write_buffer(stream);
	write_header(stream, SEGMENT_END, 0);
}
