/* SPDX-License-Identifier: MIT */
/**
 * \file convert_fixture.h
 * \brief Converts logs in memory and returns the results.
 */
#ifndef CONVERT_CONVERT_FIXTURE_H
#define CONVERT_CONVERT_FIXTURE_H

#include <mprof/convert.h>

#include "format/log_text.h"
#include "logs/log_fixture.h"

/** Result of a conversion. Free its log with log_free(). */
typedef struct conversion {
	log_bytes log;
	mprof_status status; /**< Of mprof_converter_run(). */
	int has_failed;
	mprof_writer_stats stats;
	size_t damage_count;
	mprof_error first_damage;
} conversion;

/** Converts with lossy conversion allowed. Opening the log and the writer has to succeed. */
conversion convert(const log_bytes *log, mprof_dialect dialect);

/** The same with the caller's writer options, such as the dialect. */
conversion convert_with(const log_bytes *log, const mprof_writer_options *options);

/** Converts a complete log to a dialect that can represent all of it. */
log_bytes convert_whole(const log_bytes *log, mprof_dialect dialect);

/**
 * The content of a log as text, one item on a line, with call stacks written as frames. Whatever dialects and writers
 * may choose is left out: blocks that define call stacks and native code, directives, the index, unknown blocks and
 * events, stack sections, the flags of INTRO, base counters and deltas, the times at which a block was started and
 * ended, the order of definitions in a MAPPING block. The caller frees the text.
 */
char *text_of_log(const log_bytes *log);

/** Fails if the texts of two logs differ, and shows where. \p name identifies the comparison. */
void expect_same_text(const char *name, const log_bytes *found, const log_bytes *expected);

/** Fails if the logs differ in any byte. */
void expect_same_bytes(const log_bytes *found, const log_bytes *expected);

#endif
