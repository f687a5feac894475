/* SPDX-License-Identifier: MIT */
/**
 * \file diff/tables.h
 * \brief The tables of the difference of two profiles: filtered, sorted and printed.
 */
#ifndef DIFF_TABLES_H
#define DIFF_TABLES_H

#include "common/json.h"
#include "diff/diff.h"

/** A table and the names of its figures. */
typedef struct diff_table {
	uint32_t table; /**< An #mprof_diff_table. */
	const char *title;
	const char *key;   /**< In JSON documents. */
	const char *count; /**< Key and heading of the count; NULL if the table has none, as for the next two fields. */
	const char *self;
	const char *total;
	const char *column; /**< Heading of the names. */
	int is_time;        /**< self and total are nanoseconds. */
} diff_table;

enum { DIFF_TABLES = 4 };
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

/** Stores a measure of both sides. */
void diff_tables_measure(const mprof_diff_row *row, diff_measure measure, uint64_t values[DIFF_SIDES]);

/** The full name of a row. The caller frees it; NULL after a message if out of memory. */
char *diff_tables_name(const mprof_diff_name *name);

void diff_tables_print_text(const log_diff *diff);
void diff_tables_print_json(const log_diff *diff, json_writer *json);

#endif
