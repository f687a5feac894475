/* SPDX-License-Identifier: MIT */
/**
 * \file record/filter_hint.h
 * \brief What somebody may have meant whose pattern of calls matched nothing.
 */
#ifndef FILTER_HINT_H
#define FILTER_HINT_H

#include <mprof/reader.h>

/**
 * Prints "; nearest: NAME" to standard error, in the form that --only takes, if a class or method that a log defines is
 * likely meant by a pattern, and nothing matches it. The log has been read to its end.
 */
void filter_hint_print(const mprof_reader *reader, const char *pattern);

#endif
