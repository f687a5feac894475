/* SPDX-License-Identifier: MIT */
/* Writes the tables of logs as a database of SQLite. */
#include "export/targets.h"

#include "common/arguments.h"
#include "export/table_logs.h"

#ifdef WITH_SQLITE

#include "export/intern.h"
#include "shared/text.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A temporary file that is unlinked while it is open. */

typedef struct unlinked_file {
	char *path;
	int fd;
	int is_unlinked;
} unlinked_file;

#define BUFFER_SIZE 65536

static char *make_path(const char *beside)
{
	const char *slash = strrchr(beside, '/');
	const char *directory = getenv("TMPDIR");
	struct stat status;
	char *path;
	int length;

	if (strcmp(beside, "-") == 0 || (stat(beside, &status) == 0 && !S_ISREG(status.st_mode)))
		length = asprintf(&path, "%s/mprof.XXXXXX",
				  directory != NULL && *directory != '\0' ? directory : "/tmp");
	else if (slash != NULL)
		length = asprintf(&path, "%.*s/.mprof.XXXXXX", (int)(slash - beside), beside);
	else
		length = asprintf(&path, ".mprof.XXXXXX");
	return length >= 0 ? path : NULL;
}

/*
 * Creates a file in the directory of beside, or in that for temporary files if it is "-" or not a regular file.
 * Returns NULL, or a message; then nothing has to be closed.
 */
static const char *unlinked_file_create(unlinked_file *file, const char *beside)
{
	const char *problem;

	memset(file, 0, sizeof(*file));
	file->path = make_path(beside);
	file->fd = file->path != NULL ? mkstemp(file->path) : -1;
	if (file->fd >= 0)
		return NULL;
	problem = strerror(file->path != NULL ? errno : ENOMEM);
	free(file->path);
	return problem;
}

static void unlinked_file_unlink(unlinked_file *file)
{
	if (!file->is_unlinked)
		unlink(file->path);
	file->is_unlinked = 1;
}

/* Copies the content. Returns NULL, or a message if the content cannot be read. */
static const char *unlinked_file_copy(const unlinked_file *file, FILE *stream)
{
	char buffer[BUFFER_SIZE];
	off_t offset = 0;

	for (;;) {
		ssize_t length = pread(file->fd, buffer, sizeof(buffer), offset);

		if (length < 0)
			return strerror(errno);
		if (length == 0)
			return NULL;
		/* The caller checks the stream when it closes it. */
		if (fwrite(buffer, 1, (size_t)length, stream) != (size_t)length)
			return NULL;
		offset += length;
	}
}

static void unlinked_file_close(unlinked_file *file)
{
	unlinked_file_unlink(file);
	close(file->fd);
	free(file->path);
}

/* Makes the statements of SQL for the tables of an export. */

/* A statement. Initialized with 0. */
typedef struct sqlite_text {
	char *text;
	size_t size;
	FILE *stream; /* While it is made. */
} sqlite_text;

/*
 * The application ID is "MPRF"; the user version is incremented when a column changes its meaning. Texts are in one
 * table.
 */
#define SQLITE_SCHEMA_START                                                                                            \
	"PRAGMA application_id = 1297109574;"                                                                          \
	"PRAGMA user_version = 1;"                                                                                     \
	"CREATE TABLE strings (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"

#define LOGS_PRIMARY_KEY " INTEGER PRIMARY KEY"

static int begin_text(sqlite_text *text)
{
	text->stream = open_memstream(&text->text, &text->size);
	return text->stream != NULL;
}

static const char *end_text(sqlite_text *text)
{
	FILE *stream = text->stream;

	text->stream = NULL;
	return text_of_stream(stream, &text->text);
}

static void sqlite_text_release(sqlite_text *text)
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

/* Each returns a statement, which is valid until sqlite_text_release(); NULL if out of memory. */
static const char *sqlite_schema_table(sqlite_text *text, table_id id)
{
	const table_description *table = table_describe(id);

	if (!begin_text(text))
		return NULL;
	fprintf(text->stream, "CREATE TABLE %s (log%s", table->name,
		id == TABLE_LOGS ? LOGS_PRIMARY_KEY : " INTEGER NOT NULL REFERENCES logs (log)");
	for (size_t i = 0; i < table->column_count; i++)
		fprintf(text->stream, ", \"%s\"%s", table->columns[i].name, type_name(table->columns[i].type));
	fputs(")", text->stream);
	return end_text(text);
}

static const char *sqlite_schema_insert(sqlite_text *text, table_id id)
{
	const table_description *table = table_describe(id);

	if (!begin_text(text))
		return NULL;
	fprintf(text->stream, "INSERT INTO %s VALUES (?", table->name);
	for (size_t i = 0; i < table->column_count; i++)
		fputs(", ?", text->stream);
	fputs(")", text->stream);
	return end_text(text);
}

static const char *sqlite_schema_index(sqlite_text *text, table_id id)
{
	const table_description *table = table_describe(id);

	if (!begin_text(text))
		return NULL;
	if (id != TABLE_LOGS)
		fprintf(text->stream, "CREATE INDEX %s_by_%s ON %s (log, \"%s\")", table->name, table->columns[0].name,
			table->name, table->columns[0].name);
	return end_text(text);
}

static int is_time(const char *name)
{
	size_t length = strlen(name);

	return length > 3 && strcmp(name + length - 3, "_ns") == 0;
}

/* A view with the texts, and with times in milliseconds. */
static const char *sqlite_schema_view(sqlite_text *text, table_id id)
{
	const table_description *table = table_describe(id);

	if (!begin_text(text))
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
	return end_text(text);
}

typedef struct sqlite_sink {
	table_sink sink;
	sqlite3 *database;
	sqlite3_stmt *inserts[TABLES];
	sqlite3_stmt *insert_text;
	intern_table texts; /* IDs in the table of strings are indexes + 1. */
} sqlite_sink;

static int report_error(sqlite3 *database, int result)
{
	fprintf(stderr, "mprof: export: SQLite: %s\n",
		database != NULL ? sqlite3_errmsg(database) : sqlite3_errstr(result));
	return 0;
}

static int execute(sqlite3 *database, const char *statement)
{
	int result = sqlite3_exec(database, statement, NULL, NULL, NULL);

	return result == SQLITE_OK || report_error(database, result);
}

static int execute_schema(sqlite3 *database, const char *(*make)(sqlite_text *, table_id), table_id table)
{
	sqlite_text text = {0};
	const char *statement = make(&text, table);
	int is_done;

	if (statement == NULL)
		is_done = report_error(NULL, SQLITE_NOMEM);
	else
		is_done = execute(database, statement);
	sqlite_text_release(&text);
	return is_done;
}

static int prepare(sqlite_sink *to, table_id table)
{
	sqlite_text text = {0};
	const char *statement = sqlite_schema_insert(&text, table);
	int result = statement == NULL ? SQLITE_NOMEM
				       : sqlite3_prepare_v2(to->database, statement, -1, &to->inserts[table], NULL);

	sqlite_text_release(&text);
	return result == SQLITE_OK || report_error(statement == NULL ? NULL : to->database, result);
}

/* Runs an insertion whose values are bound. */
static int insert(sqlite_sink *to, sqlite3_stmt *statement)
{
	int result = sqlite3_step(statement);

	sqlite3_reset(statement);
	return result == SQLITE_DONE || report_error(to->database, result);
}

/* Binds the ID of a text, which is added to the table of strings if it is new. */
static int bind_text(sqlite_sink *to, sqlite3_stmt *statement, int position, const table_value *value)
{
	const char *text = table_text_of(&to->sink.row, value);
	uint32_t index;
	int is_new = intern_add(&to->texts, text, value->length, &index);

	if (is_new < 0)
		return report_error(NULL, SQLITE_NOMEM);
	if (is_new) {
		sqlite3_bind_int64(to->insert_text, 1, (sqlite3_int64)index + 1);
		sqlite3_bind_text64(to->insert_text, 2, text, value->length, SQLITE_TRANSIENT, SQLITE_UTF8);
		if (!insert(to, to->insert_text))
			return 0;
	}
	sqlite3_bind_int64(statement, position, (sqlite3_int64)index + 1);
	return 1;
}

static int bind_value(sqlite_sink *to, sqlite3_stmt *statement, size_t index)
{
	const table_row *row = &to->sink.row;
	const table_value *value = &row->values[index];
	const table_description *table = table_describe(row->table);
	int position = (int)index + 1;

	if (value->is_null)
		sqlite3_bind_null(statement, position);
	else if (index > 0 && table->columns[index - 1].type == COLUMN_TEXT)
		return bind_text(to, statement, position, value);
	else if (index > 0 && table->columns[index - 1].type == COLUMN_REAL)
		sqlite3_bind_double(statement, position, value->real);
	else
		sqlite3_bind_int64(statement, position, value->integer);
	return 1;
}

static int write_row(table_sink *sink)
{
	sqlite_sink *to = (sqlite_sink *)sink;
	sqlite3_stmt *statement = to->inserts[sink->row.table];

	for (size_t i = 0; i < sink->row.count; i++) {
		if (!bind_value(to, statement, i))
			return 0;
	}
	return insert(to, statement);
}

/* The file is discarded if writing fails, so that neither a journal nor syncing is needed. */
static int begin(sqlite_sink *to, const char *path)
{
	int result = sqlite3_open_v2(path, &to->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);

	if (result != SQLITE_OK)
		return report_error(to->database, result);
	if (!execute(to->database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
				   "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16384; BEGIN;" SQLITE_SCHEMA_START))
		return 0;
	for (int table = 0; table < TABLES; table++) {
		if (!execute_schema(to->database, sqlite_schema_table, (table_id)table) ||
		    !prepare(to, (table_id)table))
			return 0;
	}
	result = sqlite3_prepare_v2(to->database, "INSERT INTO strings VALUES (?, ?)", -1, &to->insert_text, NULL);
	return result == SQLITE_OK || report_error(to->database, result);
}

/* Indexes are made after loading, which is faster. */
static int end(sqlite_sink *to)
{
	for (int table = 0; table < TABLES; table++) {
		if (!execute_schema(to->database, sqlite_schema_index, (table_id)table) ||
		    !execute_schema(to->database, sqlite_schema_view, (table_id)table))
			return 0;
	}
	return execute(to->database, "COMMIT; PRAGMA optimize;");
}

static int close_database(sqlite_sink *to)
{
	int result;

	for (int table = 0; table < TABLES; table++)
		sqlite3_finalize(to->inserts[table]);
	sqlite3_finalize(to->insert_text);
	result = sqlite3_close(to->database);
	intern_release(&to->texts);
	table_sink_release(&to->sink);
	return result == SQLITE_OK || report_error(NULL, result);
}

static int write_logs(const export_job *job, export_file *file)
{
	sqlite_sink to = {.sink.write_row = write_row};
	unlinked_file temporary;
	const char *problem = unlinked_file_create(&temporary, file->path);
	int status = STATUS_NOTHING;

	if (problem != NULL) {
		fprintf(stderr, "mprof: export: temporary file: %s\n", problem);
		return STATUS_NOTHING;
	}
	if (begin(&to, temporary.path)) {
		unlinked_file_unlink(&temporary);
		status = table_logs_add(job, &to.sink);
		if (status != STATUS_NOTHING && status != STATUS_USAGE && !end(&to))
			status = STATUS_NOTHING;
	}
	if (!close_database(&to))
		status = STATUS_NOTHING;
	problem = status == STATUS_NOTHING ? NULL : unlinked_file_copy(&temporary, file->stream);
	if (problem != NULL) {
		fprintf(stderr, "mprof: export: temporary file: %s\n", problem);
		status = STATUS_NOTHING;
	}
	unlinked_file_close(&temporary);
	return status;
}

#else

static int write_logs(const export_job *job, export_file *file)
{
	(void)job;
	(void)file;
	fputs("mprof: export: this tool was built without libsqlite3\n", stderr);
	return STATUS_NOTHING;
}

#endif

const export_target export_sqlite = {
	.name = "sqlite",
	.extension = ".sqlite",
	.description = "a database of SQLite: all tables of the report, of one or more logs",
	.lacks = "tables hold sums: single calls and objects are left out",
	.kind = EXPORT_TABLES,
	.options = EXPORT_HAS_WINDOW | EXPORT_HAS_MANY_FILES | EXPORT_HAS_ORIGIN | EXPORT_HAS_MAX_DEPTH,
	.write_logs = write_logs,
};
