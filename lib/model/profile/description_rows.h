/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/description_rows.h
 * \brief How the rows of tables are counted and stored, and those of what a log describes: processes, timelines,
 * clocks, kinds of samples, ranges of code, metrics and histograms, and events that have a meaning.
 */
#ifndef MODEL_PROFILE_DESCRIPTION_ROWS_H
#define MODEL_PROFILE_DESCRIPTION_ROWS_H

#include <mprof/profile.h>

/** Maximum size of a row: mprof_profile_totals has three arrays of 256 numbers. */
#define MAX_ROW_SIZE 8192

typedef struct profile_table {
	size_t row_size;
	size_t (*count)(const mprof_profile *profile);
	/** Stores a row in a public struct whose bytes are all 0. Does not set struct_size. */
	void (*store)(const mprof_profile *profile, size_t index, void *row);
} profile_table;

/** An element of a list of tables. */
#define PROFILE_TABLE(number, row, count, store)                                                                       \
	[MPROF_TABLE_##number - 1] = {sizeof(row) + 0 * sizeof(char[sizeof(row) <= MAX_ROW_SIZE ? 1 : -1]), count,     \
				      store}

/** NULL for tables whose rows are not those of what a log describes. */
const profile_table *description_rows_find(uint32_t table);

#endif
