/* SPDX-License-Identifier: MIT */
/**
 * \file record/filter_hint.h
 * \brief Suggests a pattern when that of --only matched nothing.
 */
#ifndef FILTER_HINT_H
#define FILTER_HINT_H

#include <mprof/reader.h>

/**
 * Prints "; nearest: NAME" to standard error, in the form of --only, if a pattern matches nothing and is similar to a
 * class or method that the log defines. Call it after the log was read to its end.
 */
void filter_hint_print(const mprof_reader *reader, const char *pattern);

#endif
