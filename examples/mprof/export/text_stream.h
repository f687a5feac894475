/* SPDX-License-Identifier: MIT */
/**
 * \file export/text_stream.h
 * \brief A buffer before a stream, for formats that print many numbers.
 *
 * printf() and the lock of a FILE would take most of the time of an export with millions of numbers. What is added is
 * in the FILE only after text_stream_flush(). A write error is that of the FILE.
 */
#ifndef EXPORT_TEXT_STREAM_H
#define EXPORT_TEXT_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEXT_STREAM_SIZE 32768

/** The longest number: 20 digits and a decimal point, with zeros before it. */
#define TEXT_STREAM_NUMBER 32

typedef struct text_stream {
	FILE *file; /**< Borrowed. */
	size_t used;
	char buffer[TEXT_STREAM_SIZE];
} text_stream;

void text_stream_init(text_stream *stream, FILE *file);

/** Writes the buffer to the FILE. */
void text_stream_flush(text_stream *stream);

/** Adds a text that is longer than the buffer has room for. */
void text_stream_add_slow(text_stream *stream, const char *text, size_t length);

/** Adds a number as decimal digits. */
void text_stream_unsigned(text_stream *stream, uint64_t number);

/** Adds number / 10^decimals with exactly \p decimals digits after the point. \p decimals: 1 to 9. */
void text_stream_fixed(text_stream *stream, uint64_t number, unsigned int decimals);

/** Adds nanoseconds as milliseconds, with all digits that are not trailing zeros. */
void text_stream_milliseconds(text_stream *stream, uint64_t nanoseconds);

static inline void text_stream_add(text_stream *stream, const char *text, size_t length)
{
	if (length > TEXT_STREAM_SIZE - stream->used) {
		text_stream_add_slow(stream, text, length);
		return;
	}
	memcpy(stream->buffer + stream->used, text, length);
	stream->used += length;
}

static inline void text_stream_string(text_stream *stream, const char *text)
{
	text_stream_add(stream, text, strlen(text));
}

static inline void text_stream_character(text_stream *stream, char character)
{
	text_stream_add(stream, &character, 1);
}

#endif
