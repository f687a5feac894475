/* SPDX-License-Identifier: MIT */
/**
 * \file diff/tables.h
 * \brief The tables of the difference of two profiles: what both logs recorded, filtered and sorted rows, and how two
 * figures are printed, also for heap snapshots.
 */
#ifndef DIFF_TABLES_H
#define DIFF_TABLES_H

#include "common/json.h"
#include "diff/diff.h"
#include "shared/text.h"

/*
 * Rows.
 */

/** "before" or "after". */
const char *diff_side_name(int side);

/** Whether a class passes the filter. */
int diff_wants_class(const log_diff *diff, const char *name);

/** Comparison for sorting figures before and after: the larger growth first, the largest decrease last. */
int diff_compare_growth(const uint64_t left[DIFF_SIDES], const uint64_t right[DIFF_SIDES]);

/** Ends a title, with a note if not all rows are shown. */
void diff_print_shown(size_t shown, size_t all);

/** Formats the growth with its sign: "+1,234", "-5", "0". Returns \p text. */
char *diff_text_growth(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES]);

/** As diff_text_growth(), for nanoseconds. */
char *diff_text_time_growth(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES]);

/** Formats the growth in percent: "+12.3 %"; "" for what was not there before. Returns \p text. */
char *diff_text_percent(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES]);

/** Prints the figure before, the one after, the growth, and the growth in percent. */
void diff_print_counts(const uint64_t values[DIFF_SIDES]);

/** As diff_print_counts(), for nanoseconds. */
void diff_print_times(const uint64_t values[DIFF_SIDES]);

/** The part of a whole, 0 to 1; 0 if the whole is 0. */
double diff_share(uint64_t part, uint64_t whole);

/** As diff_print_counts(), for shares: the growth is in percentage points. */
void diff_print_shares(const uint64_t values[DIFF_SIDES], const uint64_t sums[DIFF_SIDES]);

/** Ends a row, with a note if it is new or gone. \p match: bits of #mprof_diff_match. */
void diff_print_match(uint32_t match);

/** Ends a row, with a note if it is new or gone. \p values: a figure that is 0 if it was not there. */
void diff_print_presence(const uint64_t values[DIFF_SIDES]);

/** The number of rows to print of a table with \p count rows. */
size_t diff_rows(const log_diff *diff, size_t count);

/*
 * Tables.
 */

/**
 * Whether a log has the data of a table, an #mprof_profile_table. A log whose recording included samples or waits for
 * monitors has these even if there were none. Calls and allocations count only if there are some: every program has
 * them, and the original profiler sets their flags without recording them.
 */
int diff_tables_recorded(const log_diff *diff, int side, uint32_t table);

/** Whether there is anything that both logs recorded and that can be compared. */
int diff_tables_comparable(const log_diff *diff);

/** A name, which is borrowed. */
typedef struct diff_name {
	mprof_diff_name shown; /**< Functions of C++ and Rust have the names of the source. */
	const char *symbol;    /**< As in the object file, if that is another one; NULL if not. */
} diff_name;

/** Looks up a name by its number in the difference. */
mprof_status diff_tables_get_name(const log_diff *diff, uint32_t number, diff_name *name);

/** A row with its name. */
typedef struct diff_row {
	mprof_diff_row values;
	diff_name name;
} diff_row;

/**
 * The rows of an #mprof_profile_table that pass the filters, in the requested order. The caller frees the array. NULL,
 * with \p count 0, after a message if out of memory.
 */
diff_row *diff_tables_collect(const log_diff *diff, uint32_t table, size_t *count);

/** Whether a name passes the filters. */
int diff_tables_wants(const log_diff *diff, const diff_name *name);

/** Stores a measure of both sides. */
void diff_tables_measure(const mprof_diff_row *row, diff_measure measure, uint64_t values[DIFF_SIDES]);

/** The full name of a row. The caller frees it; NULL after a message if out of memory. */
char *diff_tables_name(const diff_name *name);

/** The name of a frame of a call stack. The caller frees it; NULL if it is not known. */
char *diff_tables_frame(const log_diff *diff, uint32_t number);

/** Prints in which logs a row or a node is (#mprof_diff_match), and how its names matched. */
void diff_tables_match_json(json_writer *json, uint32_t sides, uint32_t name);

void diff_tables_print_text(const log_diff *diff);
void diff_tables_print_json(const log_diff *diff, json_writer *json);

#endif
