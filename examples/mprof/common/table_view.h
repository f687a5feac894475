/* SPDX-License-Identifier: MIT */
/**
 * \file common/table_view.h
 * \brief Tables that the library describes: their columns by name or measure, values as text and in documents; and what
 * a command shows of a table of heap graphs, of which text, JSON and CSV are loops.
 *
 * A field is named as in the description of its table (mprof_heap_table_get_column()), or by its measure, as "@total";
 * its unit decides how it is printed. Functions of a view print what is not a field: names of other objects, and
 * figures that are computed. The views of "mprof report" (report/view.h) also filter, sort and merge rows, and fit
 * them into bounded documents.
 */
#ifndef COMMON_TABLE_VIEW_H
#define COMMON_TABLE_VIEW_H

#include "common/json.h"
#include "shared/text.h"

#include <mprof/heap.h>

#include <stddef.h>
#include <stdint.h>

/*
 * Columns.
 */

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
 * The column of a table with a name of \p length bytes; NULL if there is none. "@self" and the like name the column
 * that has a measure (#mprof_column_measure), whatever the table calls it.
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

/*
 * Views.
 */

/** The most columns and fields of a view. */
#define TABLE_VIEW_COLUMNS 8
#define TABLE_VIEW_FIELDS 24

/** Memory for a row of any table of heap graphs. */
typedef union table_row {
	mprof_heap_graph_totals graph;
	mprof_heap_snapshot snapshot;
	mprof_heap_class class_stats;
	mprof_heap_object object;
	mprof_heap_growth growth;
} table_row;

/** Rows of a table. */
typedef struct table_rows {
	size_t count;
	void (*get)(const void *user, size_t index, table_row *row);
	const void *user;           /**< Passed to all functions of the view. */
	const mprof_reader *reader; /**< Has the names of classes. */
	uint64_t whole;             /**< Of shares. */
} table_rows;

/** How a field is printed. */
typedef enum table_use {
	TABLE_VALUE,  /**< As its unit states; a text that is "" is null. */
	TABLE_NOT,    /**< The opposite of a truth value. */
	TABLE_NAME,   /**< The name of the class; "(unknown)" if it has none. */
	TABLE_NUMBER, /**< The number of the row, from 1. */
	TABLE_PRINT   /**< By a function, in documents alone. */
} table_use;

/** A field of the objects of a document. */
typedef struct table_field {
	table_use use;
	const char *key; /**< NULL: the name of the field. */
	const char *field;
	int (*is_known)(const void *user); /**< If it returns 0, the value is null. NULL: it is known. */
	void (*print)(const void *user, json_writer *json, const char *key, const void *row);
} table_field;

/** A column of a table of text. */
typedef struct table_cell {
	int width; /**< Right-aligned; 0 for the rest of the line. */
	const char *heading;
	const char *field; /**< NULL: the number of the row, from 1. */
	int is_share;
	int is_apart;                      /**< After one more blank than usual. */
	int (*is_shown)(const void *user); /**< NULL: it is. */
	/** Prints the rest of a line; NULL: the name of a class. */
	void (*print)(const void *user, const void *row);
} table_cell;

typedef struct table_view {
	uint32_t table;                        /**< An #mprof_heap_table, or #MPROF_HEAP_TABLE_GROWTH. */
	table_cell cells[TABLE_VIEW_COLUMNS];  /**< Up to one without a heading. */
	table_field fields[TABLE_VIEW_FIELDS]; /**< Up to one without a field and a key. */
	const char *csv;                       /**< Keys of fields, or their names, with blanks between them. */
} table_view;

/** Prints the heading and the first rows, as many as \p shown. */
void table_view_text(const table_view *view, const table_rows *rows, size_t shown);

/** Prints the first rows as an array of objects. */
void table_view_json(const table_view *view, const table_rows *rows, size_t shown, json_writer *json, const char *key);

/** Prints the fields of one row into an object. \p index: the number of the row, from 0. */
void table_view_fields(const table_view *view, const table_rows *rows, json_writer *json, const void *row,
		       size_t index);

/**
 * Prints a number that is not of a row under the key that the rows of a table have for a measure, as "@total"; null if
 * it is not known.
 */
void table_view_measure_json(json_writer *json, uint32_t table, const char *measure, int is_known, uint64_t number);

/** Prints the first rows as comma-separated values, with a heading. */
void table_view_csv(const table_view *view, const table_rows *rows, size_t shown);

#endif
