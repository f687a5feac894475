/* SPDX-License-Identifier: MIT */
/**
 * \file export/table_logs.h
 * \brief Reads logs into rows of the tables that tables.h lists, for formats that consist of tables, and opens the
 * files of a format that has a file for each table: all of them in a directory, or only one.
 */
#ifndef EXPORT_TABLE_LOGS_H
#define EXPORT_TABLE_LOGS_H

#include "export/tables.h"
#include "export/targets.h"
#include "export/text_stream.h"

#include <stdint.h>

typedef struct table_value {
	int is_null;
	int64_t integer; /**< Of an integer or a boolean column. */
	double real;     /**< Of a real column. */
	size_t text;     /**< Of a text column: where it starts in table_row::text. */
	size_t length;   /**< Its length in bytes. */
} table_value;

/** A row. The first value is the number of the log, from 1; those of the columns follow. */
typedef struct table_row {
	table_id table;
	table_value values[TABLE_COLUMNS_MAX];
	size_t count;
	char *text; /**< The texts of the row. */
	size_t text_length;
	size_t text_capacity;
	plain_buffer plain;
	uint64_t too_large; /**< Numbers above INT64_MAX in all rows: they are null. */
	int has_failed;     /**< Out of memory. */
} table_row;

/** The log that the next rows are from. */
typedef struct table_log {
	int64_t number;   /**< From 1. */
	const char *host; /**< "" if unknown, like build. */
	const char *build;
	int64_t start_us; /**< Since 1970. */
} table_log;

typedef struct table_sink table_sink;

/** Receives rows. */
struct table_sink {
	table_row row;
	table_log log;
	/** Writes table_sink::row. Returns 0 if that failed; the next rows are then not written. */
	int (*write_row)(table_sink *sink);
	uint32_t max_depth; /**< Of call stacks in a column; 0 for no limit. */
	int has_failed;
};

/** Copies a text; NULL becomes null. */
void table_text(table_sink *sink, const char *text);

/** The text of a value of the row. It does not end with NUL. */
const char *table_text_of(const table_row *row, const table_value *value);

void table_sink_release(table_sink *sink);

/**
 * Adds the rows of all logs of the job; a log that cannot be read is left out after a message. Returns #STATUS_OK,
 * #STATUS_DAMAGED after a message if something is missing, or #STATUS_NOTHING after a message if no log could be read
 * or the sink has failed.
 */
int table_logs_add(const export_job *job, table_sink *sink);

typedef struct table_files {
	export_file opened[TABLES];
	FILE *streams[TABLES]; /**< NULL for tables that are not exported. */
	export_file *file;     /**< Of the job. */
	int is_directory;
	int is_created; /**< The directory did not exist. */
	int count;      /**< Number of opened files. */
} table_files;

/**
 * Opens the files of the job; in a directory, which is made if it does not exist, each is the name of the table with
 * the extension of the format. Returns 0 after a message; then nothing has to be closed.
 */
int table_files_open(table_files *files, const export_job *job, export_file *file);

/** Closes the files, or discards all if not \p is_whole. Returns 0 after a message if one could not be written. */
int table_files_close(table_files *files, int is_whole);

#endif
