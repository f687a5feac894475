/* SPDX-License-Identifier: MIT */
/**
 * \file diff/tables.h
 * \brief The tables of the difference of two profiles: filtered and sorted.
 */
#ifndef DIFF_TABLES_H
#define DIFF_TABLES_H

#include "diff/diff.h"

/** A table and the names of its figures. */
typedef struct diff_table {
	uint32_t table; /**< An #mprof_profile_table. */
	const char *title;
	const char *key;   /**< In JSON documents. */
	const char *count; /**< Part of keys, such as "calls"; NULL if the table has no count, as for the next two. */
	const char *self;
	const char *total;
	const char *count_name; /**< In text; NULL if the table has no count. */
	const char *self_name;
	const char *total_name;
	const char *column; /**< Heading of the names. */
	int is_time;        /**< self and total are nanoseconds. */
	int has_stacks;     /**< Rows have call stacks. */
} diff_table;

enum { DIFF_TABLES = 6 };
extern const diff_table diff_tables[DIFF_TABLES];

/** A row with its name, which is borrowed. */
typedef struct diff_row {
	mprof_diff_row values;
	mprof_diff_name name;
} diff_row;

/**
 * The rows that pass the filters, in the requested order. The caller frees the array. NULL, with \p count 0, after a
 * message if out of memory.
 */
diff_row *diff_tables_collect(const log_diff *diff, const diff_table *table, size_t *count);

/** Whether a name passes the filters. */
int diff_tables_wants(const log_diff *diff, const mprof_diff_name *name);

/** Stores a measure of both sides. */
void diff_tables_measure(const mprof_diff_row *row, diff_measure measure, uint64_t values[DIFF_SIDES]);

/** The full name of a row. The caller frees it; NULL after a message if out of memory. */
char *diff_tables_name(const mprof_diff_name *name);

/** The name of a frame of a call stack. The caller frees it; NULL if it is not known. */
char *diff_tables_frame(const log_diff *diff, uint32_t number);

/** The measure that a table is sorted by: the requested one, if it has it. */
diff_measure diff_tables_order(const log_diff *diff, const diff_table *table);

/** Stores what shares of a measure are computed of. */
void diff_tables_sums(const log_diff *diff, const diff_table *table, diff_measure measure, uint64_t sums[DIFF_SIDES]);

#endif
