/* SPDX-License-Identifier: MIT */
/**
 * \file io/source.h
 * \brief Sources of a log: files, descriptors and memory, with the same interface as the caller's own functions.
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

#endif
