/* SPDX-License-Identifier: MIT */
/**
 * \file stream/source.h
 * \brief Where a log comes from: a file, a descriptor, memory, or compressed in one of these. All look like the
 * caller's.
 *
 * Functions return 0 or an errno value, and leave the source alone if they fail.
 */
#ifndef STREAM_SOURCE_H
#define STREAM_SOURCE_H

#include <mprof/reader.h>

#include "base/allocator.h"

/** Opens a file. A directory gives EISDIR. */
int source_open_path(mprof_source *source, const mprof_allocator *allocator, const char *path);

/** Reads a descriptor from where it is, and leaves it open. */
int source_open_fd(mprof_source *source, const mprof_allocator *allocator, int fd);

/** Reads memory that stays where it is. */
int source_open_memory(mprof_source *source, const mprof_allocator *allocator, const void *bytes, size_t length);

/** The bytes that compressed data starts with. */
#define SOURCE_GZIP_MAGIC_LENGTH 2
#define SOURCE_GZIP_MAGIC "\x1f\x8b"

/** What reading returns where compressed data is damaged; all before was read. */
#define SOURCE_DAMAGED EBADMSG

/**
 * Puts decompression on top of a source, of which the bytes of the magic, and no more, were read. Closing it closes
 * both. Returns ENOMEM, or ENOTSUP in a library without zlib.
 */
int source_decompress(mprof_source *source, const mprof_allocator *allocator);

#endif
