/* SPDX-License-Identifier: MIT */
/**
 * \file common/definitions.h
 * \brief What the reader defines of its own, for logs of the older dialects: call chains, and places of native code.
 */
#ifndef DEFINITIONS_H
#define DEFINITIONS_H

#include "common/input.h"

/** How many definitions were taken, by #mprof_record_kind. All 0 at first. */
typedef struct definition_progress {
	uint64_t taken[MPROF_RECORD_METRIC + 1];
} definition_progress;

/**
 * Takes the next definition that the reader has made since the last one was taken, what others use first. Returns 0 if
 * there is none, as always with mprof2, whose blocks tell of all.
 */
int definitions_next(definition_progress *progress, const log_input *input, mprof_record *record);

/** Passes by the modules and functions defined so far, which a STATISTICAL block lists itself. */
void definitions_pass_listed(definition_progress *progress, const log_input *input);

#endif
