/* SPDX-License-Identifier: MIT */
/**
 * \file export/export_file.h
 * \brief The file that an export writes: a stream, compressed if the format is, that gets its name only when it is
 * complete; and streams that compress what is written to them with gzip. A write error need not be checked at each
 * call: export_file_close() reports it.
 */
#ifndef EXPORT_EXPORT_FILE_H
#define EXPORT_EXPORT_FILE_H

#include "common/whole_file.h"

#include <stdint.h>
#include <stdio.h>

typedef struct export_file {
	const char *path;      /**< As given. Borrowed. */
	FILE *stream;          /**< Where the format is written. */
	FILE *target;          /**< The file; the same as stream unless the file is compressed. */
	int is_size_noted;     /**< A warning about the size was printed. */
	uint64_t size;         /**< Of the file in bytes, after export_file_close(); 0 if it is not a regular file. */
	uint64_t content_size; /**< The same before compression. */
	whole_file whole;
} export_file;

/** Bits that describe a format. */
enum {
	EXPORT_FILE_TEXT = 1, /**< It can be written to a terminal. */
	EXPORT_FILE_GZIP = 2  /**< It is compressed with gzip, in a tool built with zlib, whatever its name is. */
};

/**
 * Opens a file; "-" is standard output. A file whose name ends in ".gz" is compressed; without zlib, such a name is an
 * error. \p mode: see whole_file_open(). Returns NULL, or a message; then nothing has to
 * be closed.
 */
const char *export_file_open(export_file *file, const char *path, unsigned int flags, unsigned int mode);

/** Whether a write has failed, so that the rest need not be computed. */
int export_file_has_failed(const export_file *file);

/** Closes the file, and discards it if not \p is_whole. Returns NULL, or a message if it is not complete. */
const char *export_file_close(export_file *file, int is_whole);

/** Whether this tool was built with zlib. */
int gzip_stream_is_supported(void);

/**
 * Opens a stream whose output goes to \p target, which is borrowed; closing the stream completes the gzip file and
 * leaves the target open. \p content_size counts the bytes before compression; it is borrowed, and NULL if not needed.
 * Returns NULL with errno set if that failed.
 */
FILE *gzip_stream_open(FILE *target, uint64_t *content_size);

#endif
