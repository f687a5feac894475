/* SPDX-License-Identifier: MIT */
/**
 * \file export/text_stream.h
 * \brief Text and records that formats write: names that other tools can print, a buffer before a stream for formats
 * that print many numbers, and records of many streams, such as threads, for formats that need them stream by stream.
 *
 * printf() and the lock of a FILE would take most of the time of an export with millions of numbers. What is added to a
 * text_stream is in the FILE only after text_stream_flush(). A write error is that of the FILE. A spool has one
 * temporary file; in memory, it has a buffer for each stream, and 16 bytes for each buffer that was written to the
 * file.
 */
#ifndef EXPORT_TEXT_STREAM_H
#define EXPORT_TEXT_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** Memory for the result of plain_text(). Initialized with 0. */
typedef struct plain_buffer {
	char *text;
	size_t capacity;
} plain_buffer;

/**
 * Returns the name with control characters and invalid UTF-8 as \\xNN, like text_name(): \p name itself if it has none,
 * otherwise a text that is valid until the next call. Returns NULL if out of memory.
 */
const char *plain_text(plain_buffer *buffer, const char *name);

void plain_text_release(plain_buffer *buffer);

/** Initialized with 0. */
typedef struct spool {
	FILE *file;     /**< Unnamed; NULL while all records are in buffers. */
	uint64_t used;  /**< Bytes in the file. */
	int has_failed; /**< Out of memory or of disk space. */
} spool;

/** Where a part of a stream is in the file. */
typedef struct spool_part {
	uint64_t offset;
	uint64_t size;
} spool_part;

/** The records of a stream. Initialized with 0. */
typedef struct spool_stream {
	unsigned char *buffer;
	size_t used;
	size_t capacity;
	spool_part *parts;
	size_t part_count;
	size_t part_capacity;
} spool_stream;

/** Adds a record. All records of a stream have the same size. */
void spool_add(spool *all, spool_stream *stream, const void *record, size_t size);

/** Passes the records of a stream to a function, in their order. */
void spool_read(spool *all, const spool_stream *stream, size_t size, void (*visit)(void *user, const void *record),
		void *user);

void spool_stream_release(spool_stream *stream);
void spool_release(spool *all);

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
