/* SPDX-License-Identifier: MIT */
/**
 * \file shared/source_name.h
 * \brief Names that functions of C++ and Rust have in their sources.
 */
#ifndef SHARED_SOURCE_NAME_H
#define SHARED_SOURCE_NAME_H

/**
 * Compares a pattern of fnmatch() with the name of a function: with and without the type of its result, and with and
 * without its parameters.
 */
int source_name_matches(const char *pattern, const char *name);

#endif
