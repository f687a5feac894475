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
 * it belongs to the user of this process or to root; otherwise ELOOP is returned. The file that was opened must pass
 * log_file_check_owner(), and loses permissions that are not in \p mode. Returns 0 or an errno value.
 */
int log_file_open(const char *path, uint32_t mode, int *fd, int *is_locked);

/**
 * Checks that an open file may be overwritten. In a directory that is writable by all, another user can create a file
 * with the name of a future log, which that user can read, or give that name to a file of this user. So a regular file
 * must belong to the user of this process or to root, and have no other name. A path of a descriptor, as in /dev/fd,
 * refers to a file that this user has opened, which is not checked. Returns 0, EPERM for a file of another user, EMLINK
 * for one with another name, or another errno value.
 */
int log_file_check_owner(const char *path, int fd);

/**
 * Creates a file, or opens an existing one that passes log_file_check_owner() without changing it. Follows symbolic
 * links as log_file_open() does, which uses this. \p access_mode: O_WRONLY or O_RDWR. Returns 0 or an errno value. Not
 * on Windows.
 */
int log_file_open_checked(const char *path, int access_mode, uint32_t mode, int *fd);

/**
 * Creates a new file in the directory of \p path, to be renamed to \p path. Its name, which is unpredictable, is stored
 * in \p name, an array of \p size bytes. Never opens an existing file. Returns 0 or an errno value.
 */
int log_file_create_beside(const char *path, uint32_t mode, char *name, size_t size, int *fd);

/**
 * Removes a name if it is still that of the file with this device and inode. A program may change its directory, and
 * others may move files, so a name alone does not identify the file that was created under it. Returns 0, ESTALE if
 * another file has that name, or another errno value. Not on Windows.
 */
int log_file_remove(const char *path, uint64_t device, uint64_t inode);

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
