/* SPDX-License-Identifier: MIT */
/**
 * \file export/table_sink.h
 * \brief Rows of tables, and what receives them: a database or a file format.
 */
#ifndef EXPORT_TABLE_SINK_H
#define EXPORT_TABLE_SINK_H

#include "export/plain_text.h"
#include "export/tables.h"

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

/** Begins a row; its values follow in the order of the columns. */
void table_begin_row(table_sink *sink, table_id table);
void table_null(table_sink *sink);
/** A value above INT64_MAX becomes null, and is counted. */
void table_unsigned(table_sink *sink, uint64_t value);
void table_signed(table_sink *sink, int64_t value);
void table_boolean(table_sink *sink, int value);
void table_real(table_sink *sink, double value);
/** Copies a text; NULL becomes null. */
void table_text(table_sink *sink, const char *text);
/** Adds a frame to the last value, which is a text, or begins that text if \p is_first. */
void table_frame(table_sink *sink, const char *name, int is_first);
/** "0x...". */
void table_address(table_sink *sink, uint64_t address);
/** Writes the row. */
void table_end_row(table_sink *sink);

/** The text of a value of the row. It does not end with NUL. */
const char *table_text_of(const table_row *row, const table_value *value);

void table_sink_release(table_sink *sink);

#endif
