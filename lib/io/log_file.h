/* SPDX-License-Identifier: MIT */
/**
 * \file io/log_file.h
 * \brief Creates the files of logs. They are private to their owner by default, since logs contain arguments and paths
 * of programs.
 */
#ifndef IO_LOG_FILE_H
#define IO_LOG_FILE_H

#include <stddef.h>
#include <stdint.h>

/** Default permissions: only the owner can read the file. */
#define LOG_FILE_MODE 0600

/**
 * Number of bytes, including the terminating NUL, that log_file_create_beside() needs for a name in addition to the
 * length of the path.
 */
#define LOG_FILE_SUFFIX_SIZE 32

/**
 * Creates a file, or opens an existing one and empties it; \p *fd receives its descriptor.
 *
 * A regular file is locked first: if another writer has it, EBUSY is returned and the file is not changed.
 * \p *is_locked receives whether a lock is held; file systems without locks have none. A symbolic link is followed if
 * it belongs to the user of this process or to root; otherwise ELOOP is returned. Returns 0 or an errno value.
 */
int log_file_open(const char *path, uint32_t mode, int *fd, int *is_locked);

/**
 * Creates a new file in the directory of \p path, to be renamed to \p path. Its name, which is unpredictable, is stored
 * in \p name, an array of \p size bytes. Never opens an existing file. Returns 0 or an errno value.
 */
int log_file_create_beside(const char *path, uint32_t mode, char *name, size_t size, int *fd);

/**
 * Releases the lock of log_file_open(), also if children of fork() still have the file open. Does not close the
 * descriptor.
 */
void log_file_unlock(int fd);

/**
 * Opens an existing file for reading and writing without changing it, and locks it if its file system has locks.
 * Returns 0 or an errno value: EBUSY if another writer has it, ENOTSUP on Windows.
 */
int log_file_open_again(const char *path, int *fd);

#endif
