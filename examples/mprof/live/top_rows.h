/* SPDX-License-Identifier: MIT */
/**
 * \file live/top_rows.h
 * \brief The largest rows of a table of the live window, with their names.
 */
#ifndef TOP_ROWS_H
#define TOP_ROWS_H

#include "live/live_profile.h"

/** The maximum number of rows that can be collected. */
#define TOP_ROWS_MAX 1000

/** By which of its numbers the rows of a table are sorted: see mprof_profile_table. */
typedef enum top_sort { TOP_SORT_SELF, TOP_SORT_TOTAL, TOP_SORT_COUNT } top_sort;

typedef struct top_row {
	size_t index; /**< In the table of the profile. */
	mprof_live_row values;
} top_row;

/** Copies the largest rows that are not all 0, the largest first. Returns their number. */
size_t top_rows_collect(const live_profile *live, uint32_t table, top_sort sort, top_row *rows, size_t capacity);

/** The table that shows where time goes: that of methods, or of samples if no calls were recorded. */
uint32_t top_rows_hot_table(const live_profile *live);

/** The name of a row. Valid until the next call. */
const char *top_rows_name(const live_profile *live, uint32_t table, const top_row *row);

/** Of a row of MPROF_TABLE_MONITORS: waits that last still. */
uint64_t top_rows_unfinished_waits(const live_profile *live, const top_row *row);

/** The sum that the own values of the rows of a hot table are parts of: nanoseconds or samples. */
uint64_t top_rows_whole(const live_profile *live, uint32_t table);

/** Collections of the window. */
typedef struct top_collections {
	size_t first; /**< Index of the first one in the profile. */
	size_t end;   /**< Index after the last one. */
	uint64_t time_ns;
	uint64_t longest_ns;
	uint64_t pause_ns; /**< Time that the world was stopped for them, as far as it is in the log. */
} top_collections;

void top_rows_get_collections(const live_profile *live, top_collections *found);

#endif
