/* SPDX-License-Identifier: MIT */
/**
 * \file io/source.h
 * \brief Where a log comes from: a file, a descriptor, memory, or compressed in one of these. All look like the
 * caller's.
 *
 * Functions return 0 or an errno value, and leave the source alone if they fail.
 */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include <mprof/reader.h>

#include "base/allocator.h"

/** Opens a file. A directory gives EISDIR. \p length receives how many bytes it has now, 0 if that is not known. */
int source_open_path(mprof_source *source, const mprof_allocator *allocator, const char *path, uint64_t *length);

/** Reads a descriptor from where it is, and leaves it open. */
int source_open_fd(mprof_source *source, const mprof_allocator *allocator, int fd, uint64_t *length);

/** Reads memory that stays where it is. */
int source_open_memory(mprof_source *source, const mprof_allocator *allocator, const void *bytes, size_t length);

/** The bytes that compressed data starts with. */
#define SOURCE_GZIP_MAGIC_LENGTH 2
#define SOURCE_GZIP_MAGIC "\x1f\x8b"

/** What reading returns where compressed data is damaged; all before was read. */
#define SOURCE_DAMAGED EBADMSG

/** Who is asked, during a seek that decompresses much, whether to go on. */
typedef struct source_watch {
	/** \p position: bytes of the compressed data that were read. Returns 0 to go on. */
	int (*look)(void *user, uint64_t position);
	void *user;
} source_watch;

/**
 * Puts decompression on top of a source, of which the bytes of the magic, and no more, were read. Closing it closes
 * both. Seeking uses access points; it returns ECANCELED where \p watch, which is borrowed and may be
 * NULL, does not want to go on: the same seek again goes on from there. Returns ENOMEM, or ENOTSUP in a library without
 * zlib.
 */
int source_decompress(mprof_source *source, const mprof_allocator *allocator, const source_watch *watch);

/** From now on access points are collected while reading. Of a source of source_decompress(). */
void source_collect_points(const mprof_source *source);

/** How many bytes of the compressed data were decompressed. Of a source of source_decompress(). */
uint64_t source_get_compressed_position(const mprof_source *source);

#endif
