/* SPDX-License-Identifier: MIT */
/**
 * \file base/table.h
 * \brief Lists of tables: the structs of their rows, described field by field.
 *
 * A file that describes tables defines ROW as the struct of a table, then its columns as <name>_columns.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <mprof/base.h>

#include <stddef.h>

#define COLUMN_TYPE(value)                                                                                             \
	_Generic((value), uint32_t: MPROF_TYPE_UINT32, uint64_t: MPROF_TYPE_UINT64, int64_t: MPROF_TYPE_INT64,         \
		 const char *: MPROF_TYPE_TEXT)

/** A field of the struct ROW. */
#define COLUMN(field, unit)                                                                                            \
	{                                                                                                              \
#field, COLUMN_TYPE(((ROW *)0)->field), MPROF_UNIT_##unit, offsetof(ROW, field), 1,                    \
			MPROF_MEASURE_NONE, 0                                                                          \
	}

/** A field that is a figure which other tables have as well (#mprof_column_measure). */
#define MEASURE(field, unit, measure)                                                                                  \
	{                                                                                                              \
#field, COLUMN_TYPE(((ROW *)0)->field), MPROF_UNIT_##unit, offsetof(ROW, field), 1,                    \
			MPROF_MEASURE_##measure, 0                                                                     \
	}

#define ARRAY_COLUMN(field, unit)                                                                                      \
	{                                                                                                              \
#field, COLUMN_TYPE(((ROW *)0)->field[0]), MPROF_UNIT_##unit, offsetof(ROW, field),                    \
			sizeof(((ROW *)0)->field) / sizeof(((ROW *)0)->field[0]), MPROF_MEASURE_NONE, 0                \
	}

typedef struct table_description {
	mprof_table_info info;
	const mprof_table_column *columns;
} table_description;

/** The table of a name, whose rows are structs of the type \p row. */
#define TABLE_OF(name, row)                                                                                            \
	{                                                                                                              \
		{#name, sizeof(row), sizeof(name##_columns) / sizeof(name##_columns[0])}, name##_columns               \
	}

/** Tables with numbers without gaps. */
typedef struct table_list {
	const table_description *tables;
	uint32_t count;
	uint32_t first; /**< The number of the first one. */
} table_list;

/** NULL if there is no table of the number, as for the next one. */
static inline const mprof_table_info *table_list_info(const table_list *list, uint32_t table)
{
	return table >= list->first && table - list->first < list->count ? &list->tables[table - list->first].info
									 : NULL;
}

/** NULL also if the table has no such column. */
static inline const mprof_table_column *table_list_column(const table_list *list, uint32_t table, size_t column)
{
	const mprof_table_info *info = table_list_info(list, table);

	return info != NULL && column < info->column_count ? &list->tables[table - list->first].columns[column] : NULL;
}

#endif
