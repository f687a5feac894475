/* SPDX-License-Identifier: MIT */
/**
 * \file convert_fixture.h
 * \brief Converts logs in memory, and tells what came of it.
 */
#ifndef CONVERT_FIXTURE_H
#define CONVERT_FIXTURE_H

#include <mprof/convert.h>

#include "format/log_text.h"
#include "logs/log_fixture.h"

/** What a conversion gave. Free its log with log_free(). */
typedef struct conversion {
	log_bytes log;
	mprof_status status; /**< Of mprof_converter_run(). */
	int has_failed;
	mprof_writer_stats stats;
	size_t damage_count;
	mprof_error first_damage;
} conversion;

/** Converts with what cannot be said left out. Opening the log and the writer has to succeed. */
conversion convert(const log_bytes *log, mprof_dialect dialect);

/** The same, with options of the writer whose dialect and the like are set. */
conversion convert_with(const log_bytes *log, const mprof_writer_options *options);

/** Converts a log that is whole to a dialect that can say all of it. */
log_bytes convert_whole(const log_bytes *log, mprof_dialect dialect);

/**
 * What a log says, a line for each thing, with call chains by their frames. What dialects and writers may choose is not
 * there: blocks that define chains and code, directives, blocks and events that are not known, stack sections, flags of
 * INTRO, where times start from, when a block was written, the order of names. Free it.
 */
char *text_of_log(const log_bytes *log);

/** Fails if two logs do not say the same, and shows where. \p name: what is compared. */
void expect_same_text(const char *name, const log_bytes *found, const log_bytes *expected);

/** Fails if the logs differ in a byte. */
void expect_same_bytes(const log_bytes *found, const log_bytes *expected);

#endif
