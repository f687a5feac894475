/* SPDX-License-Identifier: MIT */
/**
 * \file common/progress.h
 * \brief A progress line on the terminal, shown if reading takes more than a second.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdint.h>
#include <time.h>

typedef struct progress_line {
	const char *name; /**< Name of the file being read. */
	uint64_t total;   /**< Size in bytes, 0 if unknown. */
	uint64_t done;
	struct timespec next; /**< Time of the next update. */
	int is_wanted;        /**< Standard error is a terminal. */
	int is_shown;
} progress_line;

/** Starts to measure. \p name is borrowed. \p total: size of the file in bytes, 0 if unknown. */
void progress_start(progress_line *progress, const char *name, uint64_t total);

/** Reports that \p bytes more bytes were read. */
void progress_add(progress_line *progress, uint64_t bytes);

/** Clears the line, so that other messages can be printed; the next progress shows it again. */
void progress_hide(progress_line *progress);

#endif
