/* SPDX-License-Identifier: MIT */
/**
 * \file io/descriptor.h
 * \brief Operations on file descriptors that differ between systems: either descriptor_posix.c or
 * descriptor_windows.c is built.
 *
 * Functions return 0 or an errno value. read(), lseek(), fstat() and ftruncate(), with 64-bit offsets, are
 * the same on POSIX and Windows.
 */
#ifndef IO_DESCRIPTOR_H
#define IO_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

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

#endif
