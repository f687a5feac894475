/* SPDX-License-Identifier: MIT */
/**
 * \file table.h
 * \brief Describes as tables those structs of the library for which it has no description itself. Columns become typed
 * arrays.
 */
#ifndef WASM_TABLE_H
#define WASM_TABLE_H

#include "module.h"

#include <stddef.h>

/** The types of columns. view.js has the same numbers. */
typedef enum column_type {
	COLUMN_U32 = 0,
	COLUMN_U64 = 1,    /**< An amount: converted to a double unless exact numbers are asked for. */
	COLUMN_S64 = 2,    /**< The same with a sign. */
	COLUMN_EXACT = 3,  /**< A 64-bit number that is not an amount (address, ID, counter): never converted. */
	COLUMN_TEXT = 4,   /**< A pointer to a text, NULL included. */
	COLUMN_DOUBLE = 5, /**< A double. */
	COLUMN_WORD = 6    /**< A size_t. */
} column_type;

/** A field of a struct. */
typedef struct table_column {
	const char *name;
	uint32_t offset; /**< Of the field in the struct. */
	uint16_t type;   /**< A #column_type. */
	uint16_t length; /**< Number of elements of an array, or 1. */
	uint8_t unit;    /**< An #mprof_column_unit; 0 if the library does not describe the table. */
	uint8_t measure; /**< An #mprof_column_measure. */
} table_column;

/** A table: rows that are one struct each. */
typedef struct table {
	const char *name;
	const table_column *columns;
	size_t column_count;
	/** Number of rows; \p which is the index or ID of what the table belongs to, if there is such. */
	size_t (*count)(const log_view *view, uint32_t which);
	/** Gets a row. \p row has room for #TABLE_ROW_SIZE bytes. */
	mprof_status (*get)(const log_view *view, uint32_t which, size_t index, void *row);
} table;

/** The largest struct: mprof_profile_totals has three arrays of 256 numbers. */
#define TABLE_ROW_SIZE 8192

#ifdef __wasm__
#define COLUMN_TYPE(value)                                                                                             \
	_Generic((value), uint32_t: COLUMN_U32, int32_t: COLUMN_U32, uint64_t: COLUMN_U64, int64_t: COLUMN_S64,        \
		 double: COLUMN_DOUBLE, const char *: COLUMN_TEXT, size_t: COLUMN_WORD)
#else
/* Tests compile these files for other machines, where a size_t may be a uint32_t or a uint64_t. */
#define COLUMN_TYPE(value)                                                                                             \
	_Generic((value), uint32_t: COLUMN_U32, int32_t: COLUMN_U32, uint64_t: COLUMN_U64, int64_t: COLUMN_S64,        \
		 double: COLUMN_DOUBLE, const char *: COLUMN_TEXT)
#endif

/** A column for a field; EXACT_COLUMN for one that is not an amount, ARRAY_COLUMN for an array of amounts. */
#define COLUMN(row, field)                                                                                             \
	{                                                                                                              \
		.name = #field, .offset = offsetof(row, field), .type = COLUMN_TYPE(((row *)0)->field), .length = 1    \
	}
#define COLUMN_AS(row, field, column)                                                                                  \
	{                                                                                                              \
		.name = column, .offset = offsetof(row, field), .type = COLUMN_TYPE(((row *)0)->field), .length = 1    \
	}
#define EXACT_COLUMN_AS(row, field, column)                                                                            \
	{                                                                                                              \
		.name = column, .offset = offsetof(row, field), .type = COLUMN_EXACT, .length = 1                      \
	}
#define EXACT_COLUMN(row, field)                                                                                       \
	{                                                                                                              \
		.name = #field, .offset = offsetof(row, field), .type = COLUMN_EXACT, .length = 1                      \
	}
#define ARRAY_COLUMN(row, field)                                                                                       \
	{                                                                                                              \
		.name = #field, .offset = offsetof(row, field), .type = COLUMN_U64,                                    \
		.length = sizeof(((row *)0)->field) / sizeof(uint64_t)                                                 \
	}

/** A table with the columns of the array columns_of_<table>, the rows of get_<table> and the count of count_<table>. */
#define TABLE(table)                                                                                                   \
	{                                                                                                              \
#table, columns_of_##table, sizeof(columns_of_##table) / sizeof(columns_of_##table[0]), count_##table, \
			get_##table                                                                                    \
	}

/** The tables of one file. Those of a profile and of a heap graph are described by the library. */
typedef struct table_list {
	const table *tables;
	size_t count;
} table_list;

extern const table_list finding_tables;
extern const table_list session_tables;
extern const table_list tree_tables;

#endif
