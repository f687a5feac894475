/* SPDX-License-Identifier: MIT */
/**
 * \file live/top_source.h
 * \brief The log that the argument of mprof top stands for: a file, standard input, or that of a process.
 */
#ifndef TOP_SOURCE_H
#define TOP_SOURCE_H

#include <limits.h>

typedef struct top_source {
	char path[PATH_MAX]; /**< Where to open it. */
	char name[PATH_MAX]; /**< What to call it. */
	int spool;           /**< Descriptor of a copy of standard input; -1 if there is none. */
} top_source;

/**
 * Finds the log. \p is_whole: standard input is read to its end, so that it can be read twice. Returns 0 after a
 * message. Call top_source_release() in any case.
 */
int top_source_find(top_source *source, const char *argument, int is_whole);

void top_source_release(top_source *source);

#endif
