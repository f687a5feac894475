/* SPDX-License-Identifier: MIT */
/**
 * \file common/progress.h
 * \brief A line on the terminal that says how far reading has come, if that takes over a second.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>
#include <time.h>

typedef struct progress_line {
	const char *name; /**< What is being read. */
	uint64_t total;   /**< Bytes, 0 if not known. */
	uint64_t done;
	struct timespec next; /**< When to show it again. */
	int is_wanted;        /**< There is a terminal. */
	int is_shown;
} progress_line;

void progress_start(progress_line *progress, const char *name, uint64_t total);

/** So many more bytes were read. */
void progress_add(progress_line *progress, uint64_t bytes);

/** Wipes the line, so that other messages can be printed; it comes back with the next progress. */
void progress_hide(progress_line *progress);

#endif
