/* SPDX-License-Identifier: MIT */
/**
 * \file export/unlinked_file.h
 * \brief A temporary file for a library that needs a path: it is unlinked as soon as the library has opened it.
 */
#ifndef EXPORT_UNLINKED_FILE_H
#define EXPORT_UNLINKED_FILE_H

#include <stdio.h>

typedef struct unlinked_file {
	char *path;
	int fd;
	int is_unlinked;
} unlinked_file;

/**
 * Creates a file in the directory of \p beside, or in that for temporary files if it is "-" or not a regular file.
 * Returns NULL, or a message; then nothing has to be closed.
 */
const char *unlinked_file_create(unlinked_file *file, const char *beside);

void unlinked_file_unlink(unlinked_file *file);

/** Copies the content. Returns NULL, or a message if the content cannot be read. */
const char *unlinked_file_copy(const unlinked_file *file, FILE *stream);

void unlinked_file_close(unlinked_file *file);

#endif
