/* SPDX-License-Identifier: MIT */
/**
 * \file output_file.h
 * \brief Files that others find by a name that anybody can foretell.
 */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include <sys/uio.h>

/**
 * Makes a file that only this user may read and write, in place of one of the same name. Never one that somebody else
 * put there, nor through a link. Returns a descriptor, or -1 with errno.
 */
int output_file_create(const char *path);

/** Writes all parts, which it changes. Returns 1, or 0 with errno. */
int output_file_write(int fd, struct iovec *parts, int count);

#endif
