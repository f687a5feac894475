/* SPDX-License-Identifier: MIT */
/**
 * \file io/high_descriptor.h
 * \brief Descriptors of a recorder are not those that the program expects to get. On POSIX systems only; clients
 * call mprof_descriptor_move().
 */
#ifndef IO_HIGH_DESCRIPTOR_H
#define IO_HIGH_DESCRIPTOR_H

/**
 * Moves a descriptor, closed by exec, to a high number: a program may rely on the lowest number being free, and it
 * may need all numbers that its limit allows. Returns the new number, or \p fd if it cannot be moved or is negative.
 */
int high_descriptor_move(int fd);

/** open(), repeated after an interrupt; above the limit of the program if it has used up its descriptors. */
int high_descriptor_open(const char *path, int flags, unsigned mode);

/**
 * For the handlers of fork(): waits until no other thread has raised the limit, and keeps them from it until
 * high_descriptor_after_fork(), in the parent and in the child, so that the child has the limit of the program.
 */
void high_descriptor_before_fork(void);
void high_descriptor_after_fork(void);

#endif
