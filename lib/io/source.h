/* SPDX-License-Identifier: MIT */
/**
 * \file io/source.h
 * \brief Sources of a log: files, descriptors and memory, with the same interface as the caller's own functions, and
 * what decompresses them.
 *
 * Functions return 0 or an errno value, and do not change the source if they fail.
 */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include <mprof/reader.h>

#include "base/allocator.h"

/**
 * Opens a file, which is closed with the source. Returns EISDIR for a directory. \p length receives its present size in
 * bytes, 0 if it is not known.
 */
int source_open_path(mprof_source *source, const mprof_allocator *allocator, const char *path, uint64_t *length);

/**
 * Reads a descriptor from its current offset; it is not closed with the source. \p length receives the number of bytes
 * from that offset to the end of the file, 0 if it is not known.
 */
int source_open_fd(mprof_source *source, const mprof_allocator *allocator, int fd, uint64_t *length);

/** Reads the caller's memory, which must remain valid until the source is closed. */
int source_open_memory(mprof_source *source, const mprof_allocator *allocator, const void *bytes, size_t length);

/*
 * Decompression of gzip.
 */

/** The first bytes of compressed data. */
#define SOURCE_GZIP_MAGIC_LENGTH 2
#define SOURCE_GZIP_MAGIC "\x1f\x8b"

/**
 * Returned by the source's read function if the compressed data is damaged, after all bytes before the damage were
 * returned.
 */
#define SOURCE_GZIP_DAMAGED EBADMSG

/** Called repeatedly during a seek, which may decompress much data, to find out whether to continue. */
typedef struct source_gzip_watch {
	/** \p position is the number of bytes of the compressed data that were read. Returns 0 to continue. */
	int (*look)(void *user, uint64_t position);
	void *user;
} source_gzip_watch;

/**
 * Decompresses what is read from \p source from now on. Exactly the bytes of #SOURCE_GZIP_MAGIC must have been read
 * from it. Closing it also closes the original source. Seeking uses access points; it returns ECANCELED if \p watch,
 * which is borrowed and may be NULL, stops it, and the same seek then continues. Returns 0, ENOMEM, or ENOTSUP without
 * zlib; after an error \p source is unchanged.
 */
int source_gzip_add(mprof_source *source, const mprof_allocator *allocator, const source_gzip_watch *watch);

/** From now on, reading collects access points. Requires source_gzip_add(). */
void source_gzip_collect_points(const mprof_source *source);

/** Number of bytes of the compressed data that were decompressed. Requires source_gzip_add(). */
uint64_t source_gzip_get_compressed_position(const mprof_source *source);

#endif
