/* SPDX-License-Identifier: MIT */
/**
 * \file shared/source_name.h
 * \brief Names that functions of C++ and Rust have in their sources.
 */
#ifndef SHARED_SOURCE_NAME_H
#define SHARED_SOURCE_NAME_H

#include <stddef.h>

/**
 * Length of the name of an operator at this offset, such as operator<< or operator(); 0 if none. Up to a type in
 * it, as in operator bool.
 */
size_t source_name_operator_length(const char *name, size_t offset);

/** The offset after the bracket that closes the one at this offset, or the end of the name. */
size_t source_name_group_end(const char *name, size_t offset);

/**
 * Compares a pattern of fnmatch() with the name of a function: with and without the type of its result, and with and
 * without its parameters.
 */
int source_name_matches(const char *pattern, const char *name);

#endif
