/* SPDX-License-Identifier: MIT */
/**
 * \file export/tables.h
 * \brief The tables that a log is exported as: their names and columns. All formats with tables have these.
 *
 * Times are in nanoseconds, sizes in bytes. IDs are those of the log, and are unique within it.
 */
#ifndef EXPORT_TABLES_H
#define EXPORT_TABLES_H

#include <mprof/profile.h>

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
	TABLE_EVENT_TYPES,
	TABLE_SPANS,
	TABLE_LINES,
	TABLE_SAMPLE_KINDS,
	TABLE_SAMPLE_GROUPS,
	TABLE_HEAP_SNAPSHOTS,
	TABLE_HEAP_SNAPSHOT_CLASSES,
	TABLE_HANDLES,
	TABLE_PROCESSES,
	TABLE_TIMELINES,
	TABLE_CLOCKS,
	TABLE_HISTOGRAMS,
	TABLE_MESSAGES,
	TABLE_WAITS,
	TABLE_GC_GENERATIONS,
	TABLE_THREAD_STATES,
	TABLE_CODE_RANGES,
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

/** How the value of a column follows from a field of the row of a profile. */
typedef enum field_use {
	FIELD_NONE,          /**< It does not. */
	FIELD_VALUE,         /**< It is the value. */
	FIELD_NOT,           /**< It is the opposite. */
	FIELD_CLASS_NAME,    /**< It is the ID of the class that is named. */
	FIELD_METHOD_NAME,   /**< It is the ID of the method that is named. */
	FIELD_FRAMES,        /**< It is the ID of the call stack. */
	FIELD_HANDLE_TYPE,   /**< It is the type of handle that is named. */
	FIELD_TIMELINE_KIND, /**< It is the kind of a timeline, likewise. */
	FIELD_CLOCK_KIND,    /**< It is the kind of a clock, likewise. */
	FIELD_EVENT_FORM,    /**< It is the form of an event that is named. */
	FIELD_PAUSE,         /**< It is the pause of a collection, NULL if it is not known. */
	FIELD_REST           /**< All fields that no other column uses. */
} field_use;

typedef struct table_field {
	const mprof_table_column *field; /**< NULL with #FIELD_NONE. */
	field_use use;
} table_field;

/** A table. Each row begins with the number of the log, which is not among the columns. */
typedef struct table_description {
	const char *name;
	const char *description;
	uint32_t source; /**< The table of a profile that the rows are from (#mprof_profile_table); 0 for none. */
	table_column columns[TABLE_COLUMNS_MAX];
	table_field fields[TABLE_COLUMNS_MAX]; /**< Of each column. */
	size_t column_count;
} table_description;

/**
 * The columns of a table. Where the rows are those of a table of a profile, the columns are its fields, so that a field
 * that the library gains becomes a column of all formats. One thread at a time.
 */
const table_description *table_describe(table_id id);

/** The columns that each row of a file begins with: log, host, build, start_us. None of their values is missing. */
#define TABLE_ORIGIN_COLUMNS 4

/** The most columns of a table in a file. */
#define TABLE_FILE_COLUMNS_MAX (TABLE_COLUMNS_MAX + TABLE_ORIGIN_COLUMNS - 1)

/**
 * The columns of a table in a file: where the log is from, then those of the table, which has these itself if it is
 * #TABLE_LOGS. Returns their number.
 */
size_t table_file_columns(table_id table, table_column columns[TABLE_FILE_COLUMNS_MAX]);

/** Finds a table by its name. Returns #TABLES after a message if there is none. */
table_id table_find(const char *name);

#endif
