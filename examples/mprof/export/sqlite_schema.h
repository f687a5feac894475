/* SPDX-License-Identifier: MIT */
/**
 * \file export/sqlite_schema.h
 * \brief The statements of SQL that make and fill the tables of an export.
 */
#ifndef EXPORT_SQLITE_SCHEMA_H
#define EXPORT_SQLITE_SCHEMA_H

#include "export/tables.h"

#include <stdio.h>

/** A statement. Initialized with 0. */
typedef struct sqlite_text {
	char *text;
	size_t size;
	FILE *stream; /**< While it is made. */
} sqlite_text;

/**
 * The application ID is "MPRF"; the user version is incremented when a column changes its meaning. Texts are in one
 * table.
 */
#define SQLITE_SCHEMA_START                                                                                            \
	"PRAGMA application_id = 1297109574;"                                                                          \
	"PRAGMA user_version = 1;"                                                                                     \
	"CREATE TABLE strings (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"

/** Each returns a statement, which is valid until sqlite_text_release(); NULL if out of memory. */
const char *sqlite_schema_table(sqlite_text *text, table_id table);
const char *sqlite_schema_insert(sqlite_text *text, table_id table);
const char *sqlite_schema_index(sqlite_text *text, table_id table);
/** A view with the texts, and with times in milliseconds. */
const char *sqlite_schema_view(sqlite_text *text, table_id table);

void sqlite_text_release(sqlite_text *text);

#endif
