/* SPDX-License-Identifier: MIT */
/* Makes the statements of SQL for the tables of an export. */
#include "export/sqlite_schema.h"

#include "shared/text.h"

#include <stdlib.h>
#include <string.h>

#define LOGS_PRIMARY_KEY " INTEGER PRIMARY KEY"

static int begin(sqlite_text *text)
{
	text->stream = open_memstream(&text->text, &text->size);
	return text->stream != NULL;
}

static const char *end(sqlite_text *text)
{
	FILE *stream = text->stream;

	text->stream = NULL;
	return text_of_stream(stream, &text->text);
}

void sqlite_text_release(sqlite_text *text)
{
	free(text->text);
}

static const char *type_name(column_type type)
{
	switch (type) {
	case COLUMN_REAL:
		return " REAL";
	case COLUMN_TEXT:
		return " INTEGER REFERENCES strings (id)";
	default:
		return " INTEGER";
	}
}

const char *sqlite_schema_table(sqlite_text *text, table_id id)
{
	const table_description *table = table_describe(id);

	if (!begin(text))
		return NULL;
	fprintf(text->stream, "CREATE TABLE %s (log%s", table->name,
		id == TABLE_LOGS ? LOGS_PRIMARY_KEY : " INTEGER NOT NULL REFERENCES logs (log)");
	for (size_t i = 0; i < table->column_count; i++)
		fprintf(text->stream, ", \"%s\"%s", table->columns[i].name, type_name(table->columns[i].type));
	fputs(")", text->stream);
	return end(text);
}

const char *sqlite_schema_insert(sqlite_text *text, table_id id)
{
	const table_description *table = table_describe(id);

	if (!begin(text))
		return NULL;
	fprintf(text->stream, "INSERT INTO %s VALUES (?", table->name);
	for (size_t i = 0; i < table->column_count; i++)
		fputs(", ?", text->stream);
	fputs(")", text->stream);
	return end(text);
}

const char *sqlite_schema_index(sqlite_text *text, table_id id)
{
	const table_description *table = table_describe(id);

	if (!begin(text))
		return NULL;
	if (id != TABLE_LOGS)
		fprintf(text->stream, "CREATE INDEX %s_by_%s ON %s (log, \"%s\")", table->name, table->columns[0].name,
			table->name, table->columns[0].name);
	return end(text);
}

static int is_time(const char *name)
{
	size_t length = strlen(name);

	return length > 3 && strcmp(name + length - 3, "_ns") == 0;
}

const char *sqlite_schema_view(sqlite_text *text, table_id id)
{
	const table_description *table = table_describe(id);

	if (!begin(text))
		return NULL;
	fprintf(text->stream, "CREATE VIEW %s_view AS SELECT t.log", table->name);
	for (size_t i = 0; i < table->column_count; i++) {
		const char *name = table->columns[i].name;

		if (table->columns[i].type == COLUMN_TEXT)
			fprintf(text->stream, ", (SELECT text FROM strings WHERE id = t.\"%s\") AS \"%s\"", name, name);
		else if (is_time(name))
			fprintf(text->stream, ", t.\"%s\" / 1e6 AS \"%.*s_ms\"", name, (int)strlen(name) - 3, name);
		else
			fprintf(text->stream, ", t.\"%s\"", name);
	}
	fprintf(text->stream, " FROM %s AS t", table->name);
	return end(text);
}
