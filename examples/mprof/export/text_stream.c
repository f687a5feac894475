/* SPDX-License-Identifier: MIT */
/* Formats numbers and texts into a buffer. */
#include "export/text_stream.h"

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
