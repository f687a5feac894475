/* SPDX-License-Identifier: MIT */
/**
 * \file io/descriptor.h
 * \brief File descriptors, as far as systems differ in them: descriptor_posix.c or descriptor_windows.c is built.
 *
 * Functions return 0 or an errno value. Whatever else is needed of descriptors, read(), lseek(), fstat() and
 * ftruncate(), with 64-bit offsets, POSIX and Windows have alike.
 */
#ifndef IO_DESCRIPTOR_H
#define IO_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

/** The most that is asked of the system at once: some refuse, or cut, longer reads and writes. */
#define DESCRIPTOR_LONGEST ((size_t)1 << 30)

/** Opens a file to read it, with no child inheriting it. A directory may give EISDIR here, or be opened. */
int descriptor_open_to_read(const char *path, int *fd);

/** Has a descriptor that others opened pass bytes on as they are. */
int descriptor_make_binary(int fd);

/** Finds out whether a descriptor can be written to (else EBADF), and whether it appends, or may do so. */
int descriptor_look_at_mode(int fd, int *appends);

/**
 * Writes all bytes, waiting where the descriptor does not block. \p *written, which starts at 0, receives how many were
 * written also where that fails. With \p may_raise a reader that went away gives EPIPE and no signal.
 */
int descriptor_write_all(int fd, int may_raise, const uint8_t *bytes, size_t length, size_t *written);

#endif
