/* SPDX-License-Identifier: MIT */
/**
 * \file io/source_gzip.h
 * \brief Decompresses what is read from a source.
 */
#ifndef IO_SOURCE_GZIP_H
#define IO_SOURCE_GZIP_H

#include <mprof/reader.h>

#include "base/allocator.h"

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
