/* SPDX-License-Identifier: MIT */
/**
 * \file export/gzip_stream.h
 * \brief A stream that compresses what is written to it with gzip.
 */
#ifndef EXPORT_GZIP_STREAM_H
#define EXPORT_GZIP_STREAM_H

#include <stdint.h>
#include <stdio.h>

/** Whether this tool was built with zlib. */
int gzip_stream_is_supported(void);

/**
 * Opens a stream whose output goes to \p target, which is borrowed; closing the stream completes the gzip file and
 * leaves the target open. \p content_size counts the bytes before compression; it is borrowed, and NULL if not needed.
 * Returns NULL with errno set if that failed.
 */
FILE *gzip_stream_open(FILE *target, uint64_t *content_size);

#endif
