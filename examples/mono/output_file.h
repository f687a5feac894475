/* SPDX-License-Identifier: MIT */
/**
 * \file output_file.h
 * \brief Files whose names are predictable, so that other programs find them.
 */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include <sys/uio.h>

/**
 * Creates a file that only this user may read and write, and replaces one of the same name. Never opens a file that
 * another user created, nor follows a link. Returns a descriptor, or -1 with errno set.
 */
int output_file_create(const char *path);

/** Writes all parts and modifies their descriptions. Returns 1, or 0 with errno set. */
int output_file_write(int fd, struct iovec *parts, int count);

#endif
