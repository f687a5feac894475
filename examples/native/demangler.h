/* SPDX-License-Identifier: MIT */
/**
 * \file demangler.h
 * \brief The readable form of names of C++ functions. Any thread.
 */
#ifndef NATIVE_DEMANGLER_H
#define NATIVE_DEMANGLER_H

/**
 * Looks for a C++ library that can demangle names. Call it when this module is loaded: later, the search may wait for a
 * thread that runs the constructors of a library.
 */
void demangler_find(void);

/** Looks for a C++ library that can demangle, and loads one, invisible to the program, if the program has none. */
void demangler_load(void);

/** The demangled name. The caller frees it; NULL if \p name is not a C++ name or there is no demangler. */
char *demangler_read(const char *name);

#endif
