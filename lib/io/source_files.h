/* SPDX-License-Identifier: MIT */
/**
 * \file io/source_files.h
 * \brief The IDs that a writer assigns to the source files of methods (doc/format.md, 3.4).
 */
#ifndef IO_SOURCE_FILES_H
#define IO_SOURCE_FILES_H

#include "base/allocator.h"
#include "base/hash_map.h"

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
