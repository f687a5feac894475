/* SPDX-License-Identifier: MIT */
/**
 * \file export/tables.h
 * \brief The tables that a log is exported as: their names and columns. All formats with tables have these.
 *
 * Times are in nanoseconds, sizes in bytes. IDs are those of the log, and are unique within it.
 */
#ifndef EXPORT_TABLES_H
#define EXPORT_TABLES_H

#include <stddef.h>

/** The tables, in the order in which they are written. */
typedef enum table_id {
	TABLE_LOGS,
	TABLE_PROPERTIES,
	TABLE_DAMAGE,
	TABLE_LOSSES,
	TABLE_METHODS,
	TABLE_CLASSES,
	TABLE_THREADS,
	TABLE_CALL_TREE,
	TABLE_SAMPLES,
	TABLE_SAMPLE_TREE,
	TABLE_ALLOCATION_SITES,
	TABLE_MEMORY_SITES,
	TABLE_COLLECTIONS,
	TABLE_PAUSES,
	TABLE_MONITORS,
	TABLE_MONITOR_SITES,
	TABLE_EXCEPTION_SITES,
	TABLE_METRICS,
	TABLE_MARKS,
	TABLE_HEAP_SNAPSHOTS,
	TABLE_HEAP_SNAPSHOT_CLASSES,
	TABLE_HANDLES,
	TABLES
} table_id;

/** The most columns of a table, with the number of the log. */
#define TABLE_COLUMNS_MAX 40

typedef enum column_type {
	COLUMN_INTEGER, /**< Signed, 64 bits. */
	COLUMN_BOOLEAN, /**< 0 or 1. */
	COLUMN_REAL,    /**< A double. */
	COLUMN_TEXT     /**< UTF-8 without control characters; line feeds separate the frames of a call stack. */
} column_type;

typedef struct table_column {
	const char *name;
	column_type type;
} table_column;

/** A table. Each row begins with the number of the log, which is not among the columns. */
typedef struct table_description {
	const char *name;
	const char *description;
	const table_column *columns;
	size_t column_count;
} table_description;

const table_description *table_describe(table_id id);

/** Finds a table by its name. Returns #TABLES after a message if there is none. */
table_id table_find(const char *name);

#endif
