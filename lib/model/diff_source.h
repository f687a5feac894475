/* SPDX-License-Identifier: MIT */
/**
 * \file model/diff_source.h
 * \brief The tables of a profile in the one form that differences are made from.
 */
#ifndef MODEL_DIFF_SOURCE_H
#define MODEL_DIFF_SOURCE_H

#include "base/progress.h"
#include "model/diff_names.h"

/** A row of a table. */
typedef struct diff_source_row {
	uint32_t table; /**< An #mprof_profile_table. */
	diff_item item;
	const diff_item *frames; /**< Call stack, the innermost first. */
	size_t frame_count;      /**< 0 if the table has no call sites. */
	mprof_diff_values values;
} diff_source_row;

/** Called for each row. Returns 0 if there is no memory. */
typedef int (*diff_source_visit)(void *user, const diff_source_row *row);

/** Steps of diff_source_read(), without the frames of call sites. */
uint64_t diff_source_steps(const mprof_profile *profile);

/** Visits all rows of a profile. Returns 0 if there is no memory, also if \p visit did, or if it was stopped. */
int diff_source_read(const mprof_allocator *allocator, const mprof_profile *profile, const mprof_reader *reader,
		     progress *going, diff_source_visit visit, void *user);

#endif
