/* SPDX-License-Identifier: MIT */
/**
 * \file common/demangle.h
 * \brief The names that functions of C++ and Rust have in their sources.
 */
#ifndef COMMON_DEMANGLE_H
#define COMMON_DEMANGLE_H

/**
 * The name in the source of a function that the linker calls \p name, in the scheme of C++ or one of Rust. What follows
 * the name after a plus sign or a blank is kept. Valid until the process ends. \p name itself if the name is not in
 * these schemes or has no reasonable length, if the library with the demangler is missing, or out of memory.
 */
const char *demangle_shown(const char *name);

/** \p name if demangle_shown() returns another one; NULL if not, and for NULL. */
const char *demangle_symbol(const char *name);

/** Whether this build demangles names of Rust. */
int demangle_has_rust(void);

#endif
