/* SPDX-License-Identifier: MIT */
/**
 * \file import/source.h
 * \brief The bytes of a file to import, which may be compressed by gzip, and may be a pipe.
 */
#ifndef IMPORT_SOURCE_H
#define IMPORT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/** Bytes that are looked at to find out what a file is. */
#define IMPORT_SOURCE_PEEK 65536

typedef struct import_source {
	int fd; /**< -1 if it is not open. */
	void *compressed;
	uint8_t *buffer;
	size_t length, position; /**< Bytes in the buffer, and those of them that were taken. */
	uint64_t offset;         /**< Bytes before the buffer, not compressed. */
	uint64_t file_time;      /**< When the file was changed last, microseconds since 1970; now if it is a pipe. */
	const char *problem;     /**< Why there are no more bytes, if this is not the end of the file; else NULL. */
} import_source;

/** Opens a file, "-" for standard input. Returns NULL, or a message; call import_source_close() in both cases. */
const char *import_source_open(import_source *source, const char *path);

/** The first bytes, up to #IMPORT_SOURCE_PEEK. Call it before anything was taken. Returns their number. */
size_t import_source_peek(import_source *source, const uint8_t **bytes);

/** Reads more into the empty buffer. Returns whether there is any. */
int import_source_fill(import_source *source);

/** Takes up to \p size bytes. Returns their number, which is less only at the end. */
size_t import_source_take(import_source *source, void *bytes, size_t size);

/** Skips up to \p size bytes. Returns their number, which is less only at the end. */
uint64_t import_source_skip(import_source *source, uint64_t size);

void import_source_close(import_source *source);

/** Takes a byte; -1 at the end. */
static inline int import_source_byte(import_source *source)
{
	if (source->position == source->length && !import_source_fill(source))
		return -1;
	return source->buffer[source->position++];
}

/** The offset of the next byte. */
static inline uint64_t import_source_offset(const import_source *source)
{
	return source->offset + source->position;
}

#endif
