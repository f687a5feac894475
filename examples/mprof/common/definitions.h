/* SPDX-License-Identifier: MIT */
/**
 * \file common/definitions.h
 * \brief Definitions that the reader makes itself for logs of the older dialects: call stacks, and locations in native
 * code.
 */
#ifndef DEFINITIONS_H
#define DEFINITIONS_H

#include "common/input.h"

/** Number of definitions fetched so far, by #mprof_record_kind. Initially all 0. */
typedef struct definition_progress {
	uint64_t taken[MPROF_RECORD_METRIC + 1];
} definition_progress;

/**
 * Fetches the next definition that the reader has made since the last call; a definition precedes those that refer to
 * it. Returns 0 if none, as always with mprof2, whose blocks contain all definitions.
 */
int definitions_next(definition_progress *progress, const log_input *input, mprof_record *record);

/** Skips the modules and functions defined so far, which a STATISTICAL block lists itself. */
void definitions_skip_listed(definition_progress *progress, const log_input *input);

#endif
