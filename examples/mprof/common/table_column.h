/* SPDX-License-Identifier: MIT */
/**
 * \file common/table_column.h
 * \brief Columns of the tables that the library describes: by name, and their values as text and in documents.
 */
#ifndef TABLE_COLUMN_H
#define TABLE_COLUMN_H

#include "common/json.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <stddef.h>

/**
 * What documents call samples with a method or a function as the innermost frame, and as any frame: the columns self
 * and total of samples, samples_total of methods. Documents had these keys before the library named columns, and
 * programs that read documents know them.
 */
#define KEY_SAMPLES_SELF "hits"
#define KEY_SAMPLES_TOTAL "total_hits"

/** Returns a column by its number: mprof_table_get_column() or mprof_heap_table_get_column(). */
typedef const mprof_table_column *(*table_columns)(uint32_t table, size_t column);

/**
 * The column of a table with a name of \p length bytes; NULL if there is none. "@self" and the like name the column that
 * has a measure (#mprof_column_measure), whatever the table calls it.
 */
const mprof_table_column *table_column_find(table_columns columns, uint32_t table, const char *name, size_t length);

/** The number that a row has in a column; 0 for NULL, and for a text. */
uint64_t table_column_number(const mprof_table_column *column, const void *row);

/** The text that a row has in a column; NULL for NULL, and for a number. */
const char *table_column_text(const mprof_table_column *column, const void *row);

/** Formats a number for people, by the unit of its column. Returns \p text. */
const char *table_column_format(const mprof_table_column *column, uint64_t number, char text[TEXT_NUMBER_SIZE]);

/** Prints the value that a row has in a column, by its unit. */
void table_column_json(json_writer *json, const char *key, const mprof_table_column *column, const void *row);

/** Prints a cell of a table of text; it is the \p is_first one of its line. \p width: negative: left-aligned. */
void table_column_cell(int width, const char *text, int is_first);

#endif
