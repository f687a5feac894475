/* SPDX-License-Identifier: MIT */
/**
 * \file io/source_files.h
 * \brief The numbers that a writer gives to the files of methods (doc/format.md, 3.4).
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
	hash_map by_hash;   /**< Numbers of the newest file with a hash. */
	source_file *files; /**< By number, less one. */
	size_t count;
	size_t capacity;
} source_files;

void source_files_init(source_files *files, const mprof_allocator *allocator);
void source_files_destroy(source_files *files);

/** The number of a file, from 1; \p is_new receives 1 if the number is new. 0 if out of memory. */
uint32_t source_files_number(source_files *files, const char *path, size_t length, int *is_new);

/** Removes the file with the newest number, after it could not be defined in the log. */
void source_files_undo_add(source_files *files);

#endif
