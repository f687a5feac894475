/* SPDX-License-Identifier: MIT */
/**
 * \file export/spool.h
 * \brief Records of many streams, such as threads, in one temporary file, for formats that need them stream by stream.
 *
 * Memory: a buffer for each stream, and 16 bytes for each buffer that was written to the file.
 */
#ifndef EXPORT_SPOOL_H
#define EXPORT_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
