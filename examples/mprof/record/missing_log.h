/* SPDX-License-Identifier: MIT */
/**
 * \file record/missing_log.h
 * \brief Explains why a recorded program has written no log.
 */
#ifndef RECORD_MISSING_LOG_H
#define RECORD_MISSING_LOG_H

#include <mprof/reader.h>

#include "record/target.h"

#include <stdio.h>

typedef struct missing_log {
	const record_target *target; /**< Borrowed. */
	int status;                  /**< Exit status of the program. */
	int signal;                  /**< The signal that ended it; 0 if none. */
	int has_ring;                /**< --ring was given. */
	int is_native;               /**< The program is not one of Mono, as far as its file shows. */
	int is_sampled;              /**< A native program would have been sampled. */
	int has_memory;              /**< The native memory of any program would have been recorded. */
} missing_log;

/** Prints one line to standard error. */
void missing_log_explain(const missing_log *missing);

/**
 * Prints "; nearest: NAME" to standard error, in the form of --only, if a pattern matches nothing and is similar to a
 * class or method that the log defines. Call it after the log was read to its end.
 */
void filter_hint_print(const mprof_reader *reader, const char *pattern);

/** Whether a log states that the system refused to write all of it. Reads no events. */
int cut_log_is(const char *path);

/** Prints a name so that a shell reads it as one word. */
void quoted_print(FILE *file, const char *name);

#endif
