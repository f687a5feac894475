/* SPDX-License-Identifier: MIT */
/* Writes the tables of logs as text: comma-separated (RFC 4180), or tab-separated as ClickHouse reads it. */
#include "export/targets.h"

#include "common/csv.h"
#include "common/arguments.h"
#include "export/table_logs.h"

#include <inttypes.h>
#include <string.h>

/* How values are separated and quoted. */
typedef struct text_style {
	char separator;
	const char *line_end;
	const char *null;
	void (*put_text)(FILE *stream, const char *text, size_t length);
} text_style;

typedef struct text_sink {
	table_sink sink;
	table_files files;
	const text_style *style;
} text_sink;

/* A text is in quotes if it has to be; an empty one is, because null is empty without quotes. */
static void put_quoted(FILE *stream, const char *text, size_t length)
{
	const int is_formula = length > 0 && csv_is_formula(text, length);
	int is_quoted = length == 0 || is_formula;

	for (size_t i = 0; i < length && !is_quoted; i++)
		is_quoted = memchr("\",\r\n", text[i], 4) != NULL;
	if (is_quoted)
		putc('"', stream);
	if (is_formula)
		putc(CSV_TEXT_MARK, stream);
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"')
			putc('"', stream);
		putc(text[i], stream);
	}
	if (is_quoted)
		putc('"', stream);
}

/* Texts have no other control characters than line feeds. */
static void put_escaped(FILE *stream, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n')
			fputs("\\n", stream);
		else if (text[i] == '\\')
			fputs("\\\\", stream);
		else
			putc(text[i], stream);
	}
}

static const text_style comma_style = {',', "\r\n", "", put_quoted};
static const text_style tab_style = {'\t', "\n", "\\N", put_escaped};

static void put_string(const text_sink *to, FILE *stream, const char *text)
{
	to->style->put_text(stream, text, strlen(text));
}

static void put_value(const text_sink *to, FILE *stream, column_type type, const table_value *value)
{
	if (value->is_null)
		fputs(to->style->null, stream);
	else if (type == COLUMN_TEXT)
		to->style->put_text(stream, table_text_of(&to->sink.row, value), value->length);
	else if (type == COLUMN_REAL)
		fprintf(stream, "%.17g", value->real);
	else
		fprintf(stream, "%" PRId64, value->integer);
}

static void put_origin(const text_sink *to, FILE *stream)
{
	const table_log *log = &to->sink.log;

	putc(to->style->separator, stream);
	put_string(to, stream, log->host);
	putc(to->style->separator, stream);
	put_string(to, stream, log->build);
	fprintf(stream, "%c%" PRId64, to->style->separator, log->start_us);
}

static int write_row(table_sink *sink)
{
	const text_sink *to = (const text_sink *)sink;
	const table_row *row = &sink->row;
	const table_description *table = table_describe(row->table);
	FILE *stream = to->files.streams[row->table];

	if (stream == NULL)
		return 1;
	put_value(to, stream, COLUMN_INTEGER, &row->values[0]);
	if (row->table != TABLE_LOGS)
		put_origin(to, stream);
	for (size_t i = 0; i < table->column_count; i++) {
		putc(to->style->separator, stream);
		put_value(to, stream, table->columns[i].type, &row->values[i + 1]);
	}
	fputs(to->style->line_end, stream);
	/* The file reports why. */
	return !ferror(stream);
}

static void write_titles(const text_sink *to)
{
	table_column columns[TABLE_FILE_COLUMNS_MAX];

	for (int table = 0; table < TABLES; table++) {
		FILE *stream = to->files.streams[table];
		size_t count = table_file_columns((table_id)table, columns);

		for (size_t i = 0; stream != NULL && i < count; i++) {
			if (i > 0)
				putc(to->style->separator, stream);
			fputs(columns[i].name, stream);
		}
		if (stream != NULL)
			fputs(to->style->line_end, stream);
	}
}

static int write_tables(const export_job *job, export_file *file, const text_style *style)
{
	text_sink to = {.sink.write_row = write_row, .style = style};
	int status;
	int is_written;

	if (!table_files_open(&to.files, job, file))
		return STATUS_NOTHING;
	write_titles(&to);
	status = table_logs_add(job, &to.sink);
	is_written = !to.sink.has_failed;
	/* A file that cannot be written is reported when it is closed, and is not a log that cannot be read. */
	if (!is_written && !to.sink.row.has_failed)
		status = STATUS_DAMAGED;
	table_sink_release(&to.sink);
	if (!table_files_close(&to.files, is_written && (status == STATUS_OK || status == STATUS_DAMAGED)))
		return STATUS_DAMAGED;
	return status;
}

static int write_csv(const export_job *job, export_file *file)
{
	return write_tables(job, file, &comma_style);
}

static int write_clickhouse(const export_job *job, export_file *file)
{
	return write_tables(job, file, &tab_style);
}

const export_target export_csv = {
	.name = "csv",
	.extension = "-csv",
	.table_extension = ".csv",
	.description = "comma-separated values: a directory with a file for each table, of one or more logs",
	.lacks = "tables hold sums: single calls and objects are left out",
	.kind = EXPORT_TABLES,
	.options =
		EXPORT_HAS_WINDOW | EXPORT_HAS_MANY_FILES | EXPORT_HAS_ORIGIN | EXPORT_HAS_MAX_DEPTH | EXPORT_HAS_TABLE,
	.file_flags = EXPORT_FILE_TEXT,
	.write_logs = write_csv,
};

const export_target export_clickhouse = {
	.name = "clickhouse",
	.extension = "-clickhouse",
	.table_extension = ".tsv",
	.description = "rows for ClickHouse (TabSeparatedWithNames): a directory with a file for each table",
	.lacks = "tables hold sums: single calls and objects are left out",
	.kind = EXPORT_TABLES,
	.options =
		EXPORT_HAS_WINDOW | EXPORT_HAS_MANY_FILES | EXPORT_HAS_ORIGIN | EXPORT_HAS_MAX_DEPTH | EXPORT_HAS_TABLE,
	.file_flags = EXPORT_FILE_TEXT,
	.write_logs = write_clickhouse,
};
