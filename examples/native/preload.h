/* SPDX-License-Identifier: MIT */
/**
 * \file preload.h
 * \brief Leaves this module out of the environment of programs that cannot load it, since the variable that loads it is
 * inherited: they would print errors or not run at all.
 *
 * All functions are async-signal-safe, and may be called in a child of vfork().
 */
#ifndef NATIVE_PRELOAD_H
#define NATIVE_PRELOAD_H

#include <stddef.h>

/**
 * Whether a program cannot load the module: it is for another C library or processor, or contains a sanitizer. Not if
 * the file is no program, or cannot be read. \p fd: the program; not closed.
 */
int preload_is_refused(int fd);

/** The same for a path, which is relative to a directory as that of openat(). */
int preload_is_refused_at(int directory, const char *path);

/** The same for a program that execvp(3) finds by its name. */
int preload_is_refused_by_name(const char *name);

/** Size of what preload_remove() writes. */
size_t preload_removed_size(char *const *variables);

/** Copies the environment to \p memory, without the module. The texts of the other variables are not copied. */
char *const *preload_remove(char *const *variables, void *memory);

#endif
