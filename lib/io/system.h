/* SPDX-License-Identifier: MIT */
/**
 * \file io/system.h
 * \brief What writers and readers need of the operating system: its clock, descriptors, and the files of logs. Either
 * system_posix.c or system_windows.c is built.
 *
 * Functions return 0 or an errno value unless stated otherwise. read(), lseek(), fstat() and ftruncate(), with 64-bit
 * offsets, are the same on POSIX and Windows.
 */
#ifndef IO_SYSTEM_H
#define IO_SYSTEM_H

#include <mprof/writer.h>

#include <stddef.h>
#include <stdint.h>

/**
 * An #mprof_clock_function: the counter is the monotonic clock in nanoseconds, the time is the wall clock in
 * microseconds. \p user is not used.
 */
void clock_read_system(void *user, mprof_clock *clock);

/*
 * Descriptors.
 */

/** Maximum number of bytes of one system call: some systems refuse or shorten longer reads and writes. */
#define DESCRIPTOR_MAX_LENGTH ((size_t)1 << 30)

/** Opens a file for reading; child processes do not inherit it. A directory may be opened, or refused with EISDIR. */
int descriptor_open_to_read(const char *path, int *fd);

/**
 * Disables the translation of line ends on Windows; has no effect elsewhere. For a descriptor that the caller opened.
 */
int descriptor_make_binary(int fd);

/**
 * Returns EBADF if a descriptor is not writable, as far as the system reports it. \p appends receives 1 if writes
 * append to the file, or if that is not known.
 */
int descriptor_look_at_mode(int fd, int *appends);

/**
 * Stores the absolute name of an existing file, without symbolic links. Returns 0 if it does not fit \p size,
 * and on Windows, where a program does not close the descriptors of others.
 */
int descriptor_resolve_path(const char *path, char *absolute, size_t size);

/**
 * Reads up to \p length bytes at an offset of a file, without moving its position. \p *got is less than \p length only
 * at the end of the file. On Windows, ENOTSUP.
 */
int descriptor_read_at(int fd, uint64_t offset, void *bytes, size_t length, size_t *got);

/**
 * Writes all bytes, and waits if the descriptor is non-blocking. \p *written, which the caller sets to 0, receives the
 * number of bytes written, also after an error. \p raises_sigpipe: SIGPIPE is possible, and is suppressed; a closed
 * pipe then only returns EPIPE. SIGXFSZ is suppressed, too: a file that exceeds the size limit of the process only
 * returns EFBIG.
 */
int descriptor_write_all(int fd, int raises_sigpipe, const uint8_t *bytes, size_t length, size_t *written);

/*
 * The files of logs are private to their owner by default, since logs contain arguments and paths of programs.
 */

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
