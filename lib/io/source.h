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
#include "base/hash_map.h"

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

typedef struct source_file {
	char *path;
	size_t length;
	uint32_t next; /**< Number of another file with the same hash, 0 if none. */
} source_file;

typedef struct source_files {
	hash_map by_hash;   /**< Maps a hash to the number of the newest file with that hash. */
	source_file *files; /**< By number - 1. */
	size_t count;
	size_t capacity;
} source_files;

void source_files_init(source_files *files, const mprof_allocator *allocator);
void source_files_destroy(source_files *files);

/** Returns the number of a file, from 1; 0 if out of memory. \p is_new receives 1 if the file had no number before. */
uint32_t source_files_number(source_files *files, const char *path, size_t length, int *is_new);

/** Removes the file with the highest number, after its definition could not be written to the log. */
void source_files_undo_add(source_files *files);

#endif
