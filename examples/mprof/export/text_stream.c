/* SPDX-License-Identifier: MIT */
/* Names, buffered text, and records in a temporary file, for formats. */
#include "export/text_stream.h"

#include "shared/utf8.h"

#include <stdlib.h>

/* Replaces what other tools cannot print in names. */

/* Length of "\xNN". */
#define ESCAPE_LENGTH 4

/* The length of the character at the start of a text, 0 if it is to be replaced. */
static size_t plain_character(const char *text)
{
	return utf8_is_control(text) ? 0 : utf8_sequence(text);
}

static int is_plain(const char *name)
{
	while (*name >= 0x20 && *name < 0x7f)
		name++;
	while (*name != '\0') {
		size_t length = plain_character(name);

		if (length == 0)
			return 0;
		name += length;
	}
	return 1;
}

const char *plain_text(plain_buffer *buffer, const char *name)
{
	size_t needed = ESCAPE_LENGTH * strlen(name) + 1;
	char *out;

	if (is_plain(name))
		return name;
	if (needed > buffer->capacity) {
		char *text = realloc(buffer->text, needed);

		if (text == NULL)
			return NULL;
		buffer->text = text;
		buffer->capacity = needed;
	}
	out = buffer->text;
	while (*name != '\0') {
		size_t length = plain_character(name);

		if (length == 0) {
			out += sprintf(out, "\\x%02x", (unsigned int)(unsigned char)*name++);
			continue;
		}
		memcpy(out, name, length);
		out += length;
		name += length;
	}
	*out = '\0';
	return buffer->text;
}

void plain_text_release(plain_buffer *buffer)
{
	free(buffer->text);
	memset(buffer, 0, sizeof(*buffer));
}

/* Keeps the records of many streams in one temporary file. */

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

#define NANOSECOND_DIGITS 6
#define NANOSECONDS_PER_MILLISECOND 1000000

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				  "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				  "8081828384858687888990919293949596979899";

void text_stream_init(text_stream *stream, FILE *file)
{
	stream->file = file;
	stream->used = 0;
}

void text_stream_flush(text_stream *stream)
{
	if (stream->used > 0)
		fwrite(stream->buffer, 1, stream->used, stream->file);
	stream->used = 0;
}

void text_stream_add_slow(text_stream *stream, const char *text, size_t length)
{
	text_stream_flush(stream);
	if (length > TEXT_STREAM_SIZE) {
		fwrite(text, 1, length, stream->file);
		return;
	}
	memcpy(stream->buffer, text, length);
	stream->used = length;
}

/* Room for a number. */
static char *reserve_number(text_stream *stream)
{
	if (TEXT_STREAM_SIZE - stream->used < TEXT_STREAM_NUMBER)
		text_stream_flush(stream);
	return stream->buffer + stream->used;
}

/* Prints the digits of a number so that they end at \p end. Returns the first one. */
static char *format_digits(char *end, uint64_t number)
{
	while (number >= 100) {
		end -= 2;
		memcpy(end, digit_pairs + 2 * (number % 100), 2);
		number /= 100;
	}
	if (number >= 10) {
		end -= 2;
		memcpy(end, digit_pairs + 2 * number, 2);
	} else {
		*--end = (char)('0' + number);
	}
	return end;
}

void text_stream_unsigned(text_stream *stream, uint64_t number)
{
	char text[TEXT_STREAM_NUMBER];
	char *const end = text + sizeof(text);
	const char *first = format_digits(end, number);
	char *out = reserve_number(stream);

	memcpy(out, first, (size_t)(end - first));
	stream->used += (size_t)(end - first);
}

void text_stream_fixed(text_stream *stream, uint64_t number, unsigned int decimals)
{
	char text[TEXT_STREAM_NUMBER];
	char *const end = text + sizeof(text);
	char *first = format_digits(end, number);
	char *out = reserve_number(stream);
	size_t whole;

	while (first >= end - decimals)
		*--first = '0';
	whole = (size_t)(end - first) - decimals;
	memcpy(out, first, whole);
	out[whole] = '.';
	memcpy(out + whole + 1, first + whole, decimals);
	stream->used += whole + 1 + decimals;
}

void text_stream_milliseconds(text_stream *stream, uint64_t nanoseconds)
{
	if (nanoseconds % NANOSECONDS_PER_MILLISECOND == 0) {
		text_stream_unsigned(stream, nanoseconds / NANOSECONDS_PER_MILLISECOND);
		return;
	}
	text_stream_fixed(stream, nanoseconds, NANOSECOND_DIGITS);
	while (stream->buffer[stream->used - 1] == '0')
		stream->used--;
}
