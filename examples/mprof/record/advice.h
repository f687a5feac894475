/* SPDX-License-Identifier: MIT */
/**
 * \file record/advice.h
 * \brief What mprof record prints at its end: why there is no log, and the command that shows what was recorded.
 */
#ifndef RECORD_ADVICE_H
#define RECORD_ADVICE_H

#include "common/summary.h"
#include "record/options.h"
#include "record/target.h"

#include <mprof/reader.h>

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

/**
 * Prints a line on standard error with the command that fits the contents of a log, and a second one where two fit.
 * Prints nothing for a log without events. \p name: the path of the log, for messages.
 */
void next_command_print(const record_request *request, const log_summary *summary, const char *name);

#endif
