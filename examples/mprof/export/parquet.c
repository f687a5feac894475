/* SPDX-License-Identifier: MIT */
/*
 * Writes the tables of logs as files of Parquet: PLAIN values in one page for each column and row group, not
 * compressed. All columns are optional.
 */
#include "common/arguments.h"
#include "export/table_logs.h"
#include "export/targets.h"

#include <mprof/base.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Encodes messages in the compact protocol of Thrift. */

/* Types of fields and elements. */
enum {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12
};

/* The maximum depth of structs in each other. */
#define THRIFT_DEPTH 8

/* Bytes. Initialized with 0. */
typedef struct thrift_buffer {
	unsigned char *bytes;
	size_t length;
	size_t capacity;
	int has_failed;               /* Out of memory. */
	int32_t fields[THRIFT_DEPTH]; /* The latest field of each open struct. */
	size_t depth;
} thrift_buffer;

static void thrift_append(thrift_buffer *buffer, const void *bytes, size_t length)
{
	size_t needed = buffer->length + length;

	if (needed > buffer->capacity) {
		size_t capacity = 2 * needed + 256;
		unsigned char *larger = realloc(buffer->bytes, capacity);

		if (larger == NULL) {
			buffer->has_failed = 1;
			return;
		}
		buffer->bytes = larger;
		buffer->capacity = capacity;
	}
	if (length > 0)
		memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length = needed;
}

static void append_byte(thrift_buffer *buffer, unsigned int byte)
{
	unsigned char value = (unsigned char)byte;

	thrift_append(buffer, &value, 1);
}

/* The high bit is set in all bytes but the last: not the varint of logs. */
static void thrift_varint(thrift_buffer *buffer, uint64_t number)
{
	while (number >= 0x80) {
		append_byte(buffer, (unsigned int)(number & 0x7f) | 0x80);
		number >>= 7;
	}
	append_byte(buffer, (unsigned int)number);
}

static void append_zigzag(thrift_buffer *buffer, int64_t number)
{
	thrift_varint(buffer, ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0));
}

static void append_header(thrift_buffer *buffer, int32_t field, unsigned int type)
{
	int32_t *latest = &buffer->fields[buffer->depth];

	append_byte(buffer, (unsigned int)(field - *latest) << 4 | type);
	*latest = field;
}

/* Begins a struct: an element of a list, or the message itself. */
static void thrift_begin(thrift_buffer *buffer)
{
	if (buffer->depth + 1 < THRIFT_DEPTH)
		buffer->fields[++buffer->depth] = 0;
	else
		buffer->has_failed = 1;
}

static void thrift_end(thrift_buffer *buffer)
{
	append_byte(buffer, 0);
	buffer->depth--;
}

/* Fields of the open struct, in the order of their IDs. A struct ends with thrift_end(). */
static void thrift_integer(thrift_buffer *buffer, int32_t field, int type, int64_t number)
{
	append_header(buffer, field, (unsigned int)type);
	append_zigzag(buffer, number);
}

static void thrift_element_integer(thrift_buffer *buffer, int64_t number)
{
	append_zigzag(buffer, number);
}

static void thrift_element_binary(thrift_buffer *buffer, const char *text)
{
	size_t length = strlen(text);

	thrift_varint(buffer, length);
	thrift_append(buffer, text, length);
}

static void thrift_binary(thrift_buffer *buffer, int32_t field, const char *text)
{
	append_header(buffer, field, THRIFT_BINARY);
	thrift_element_binary(buffer, text);
}

static void thrift_struct(thrift_buffer *buffer, int32_t field)
{
	append_header(buffer, field, THRIFT_STRUCT);
	thrift_begin(buffer);
}

/* The elements follow: with thrift_begin(), thrift_element_integer() or thrift_element_binary(). */
static void thrift_list(thrift_buffer *buffer, int32_t field, int type, size_t count)
{
	append_header(buffer, field, THRIFT_LIST);
	if (count < 15) {
		append_byte(buffer, (unsigned int)count << 4 | (unsigned int)type);
		return;
	}
	append_byte(buffer, 0xf0 | (unsigned int)type);
	thrift_varint(buffer, count);
}

static void thrift_release(thrift_buffer *buffer)
{
	free(buffer->bytes);
	memset(buffer, 0, sizeof(*buffer));
}

/* A row group ends at this number of rows or bytes of one column: pages have lengths of 31 bits. */
#define GROUP_ROWS 65536
#define GROUP_BYTES (UINT32_C(64) << 20)

#define MAGIC "PAR1"
#define MAGIC_LENGTH 4

enum { PARQUET_BOOLEAN = 0, PARQUET_INT64 = 2, PARQUET_DOUBLE = 5, PARQUET_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3 };

/* Values of a row group that is not written yet. */
typedef struct parquet_column {
	thrift_buffer values;
	unsigned char present[GROUP_ROWS]; /* Definition levels. */
	unsigned char bits;                /* Of booleans: up to 8, before they are in values. */
	unsigned int bit_count;
} parquet_column;

typedef struct parquet_table {
	table_column columns[TABLE_FILE_COLUMNS_MAX];
	size_t column_count;
	parquet_column *buffers; /* NULL before the first row. */
	size_t rows;             /* Of the row group that is not written yet. */
	int64_t all_rows;
	uint64_t offset; /* Bytes written. */
	thrift_buffer groups;
	size_t group_count;
} parquet_table;

typedef struct parquet_sink {
	table_sink sink;
	table_files files;
	parquet_table tables[TABLES];
	int lacks_memory;
} parquet_sink;

static int type_of(column_type type)
{
	static const int types[] = {
		[COLUMN_INTEGER] = PARQUET_INT64,
		[COLUMN_BOOLEAN] = PARQUET_BOOLEAN,
		[COLUMN_REAL] = PARQUET_DOUBLE,
		[COLUMN_TEXT] = PARQUET_BYTE_ARRAY,
	};

	return types[type];
}

static void put(parquet_table *table, FILE *stream, const void *bytes, size_t length)
{
	if (length > 0)
		fwrite(bytes, 1, length, stream);
	table->offset += length;
}

/* Numbers are little-endian whatever the machine is. */
static void append_little(thrift_buffer *buffer, uint64_t number, size_t size)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	thrift_append(buffer, bytes, size);
}

static void append_boolean(parquet_column *column, int value)
{
	column->bits |= (unsigned char)((unsigned int)(value != 0) << column->bit_count++);
	if (column->bit_count < 8)
		return;
	thrift_append(&column->values, &column->bits, 1);
	column->bits = 0;
	column->bit_count = 0;
}

static void append_text(parquet_column *column, const char *text, size_t length)
{
	append_little(&column->values, length, 4);
	thrift_append(&column->values, text, length);
}

static void append_value(const parquet_sink *to, parquet_table *table, size_t index, const table_value *value)
{
	parquet_column *column = &table->buffers[index];
	uint64_t bits;

	column->present[table->rows] = !value->is_null;
	if (value->is_null)
		return;
	switch (table->columns[index].type) {
	case COLUMN_TEXT:
		append_text(column, table_text_of(&to->sink.row, value), value->length);
		break;
	case COLUMN_BOOLEAN:
		append_boolean(column, value->integer != 0);
		break;
	case COLUMN_REAL:
		memcpy(&bits, &value->real, sizeof(bits));
		append_little(&column->values, bits, sizeof(bits));
		break;
	default:
		append_little(&column->values, (uint64_t)value->integer, sizeof(bits));
	}
}

/* Definition levels are runs of 0 and 1, after their length. */
static void make_levels(const parquet_column *column, size_t rows, thrift_buffer *levels)
{
	thrift_buffer runs = {0};

	for (size_t i = 0; i < rows;) {
		size_t start = i;

		while (i < rows && column->present[i] == column->present[start])
			i++;
		thrift_varint(&runs, (i - start) << 1);
		thrift_append(&runs, &column->present[start], 1);
	}
	append_little(levels, runs.length, 4);
	thrift_append(levels, runs.bytes, runs.length);
	levels->has_failed |= runs.has_failed;
	thrift_release(&runs);
}

static void make_page_header(thrift_buffer *header, size_t rows, size_t size)
{
	thrift_begin(header);
	thrift_integer(header, 1, THRIFT_I32, 0); /* A data page. */
	thrift_integer(header, 2, THRIFT_I32, (int64_t)size);
	thrift_integer(header, 3, THRIFT_I32, (int64_t)size);
	thrift_struct(header, 5);
	thrift_integer(header, 1, THRIFT_I32, (int64_t)rows);
	thrift_integer(header, 2, THRIFT_I32, ENCODING_PLAIN);
	thrift_integer(header, 3, THRIFT_I32, ENCODING_RLE);
	thrift_integer(header, 4, THRIFT_I32, ENCODING_RLE);
	thrift_end(header);
	thrift_end(header);
}

static void describe_chunk(parquet_table *table, size_t index, uint64_t start)
{
	thrift_buffer *groups = &table->groups;
	int64_t size = (int64_t)(table->offset - start);

	thrift_begin(groups);
	thrift_integer(groups, 2, THRIFT_I64, (int64_t)start);
	thrift_struct(groups, 3);
	thrift_integer(groups, 1, THRIFT_I32, type_of(table->columns[index].type));
	thrift_list(groups, 2, THRIFT_I32, 2);
	thrift_element_integer(groups, ENCODING_PLAIN);
	thrift_element_integer(groups, ENCODING_RLE);
	thrift_list(groups, 3, THRIFT_BINARY, 1);
	thrift_element_binary(groups, table->columns[index].name);
	thrift_integer(groups, 4, THRIFT_I32, 0); /* Not compressed. */
	thrift_integer(groups, 5, THRIFT_I64, (int64_t)table->rows);
	thrift_integer(groups, 6, THRIFT_I64, size);
	thrift_integer(groups, 7, THRIFT_I64, size);
	thrift_integer(groups, 9, THRIFT_I64, (int64_t)start);
	thrift_end(groups);
	thrift_end(groups);
}

/* Writes the page of a column. Returns 0 if out of memory. */
static int write_chunk(parquet_table *table, FILE *stream, size_t index)
{
	parquet_column *column = &table->buffers[index];
	thrift_buffer levels = {0};
	thrift_buffer header = {0};
	uint64_t start = table->offset;
	int is_written;

	if (column->bit_count > 0)
		thrift_append(&column->values, &column->bits, 1);
	make_levels(column, table->rows, &levels);
	make_page_header(&header, table->rows, levels.length + column->values.length);
	is_written = !header.has_failed && !levels.has_failed && !column->values.has_failed;
	if (is_written) {
		put(table, stream, header.bytes, header.length);
		put(table, stream, levels.bytes, levels.length);
		put(table, stream, column->values.bytes, column->values.length);
		describe_chunk(table, index, start);
	}
	column->values.length = 0;
	column->bits = 0;
	column->bit_count = 0;
	thrift_release(&header);
	thrift_release(&levels);
	return is_written && !table->groups.has_failed;
}

static int write_group(parquet_table *table, FILE *stream)
{
	uint64_t start = table->offset;

	if (table->rows == 0)
		return 1;
	thrift_begin(&table->groups);
	thrift_list(&table->groups, 1, THRIFT_STRUCT, table->column_count);
	for (size_t i = 0; i < table->column_count; i++) {
		if (!write_chunk(table, stream, i))
			return 0;
	}
	thrift_integer(&table->groups, 2, THRIFT_I64, (int64_t)(table->offset - start));
	thrift_integer(&table->groups, 3, THRIFT_I64, (int64_t)table->rows);
	thrift_end(&table->groups);
	table->group_count++;
	table->all_rows += (int64_t)table->rows;
	table->rows = 0;
	return 1;
}

static void append_origin(const parquet_sink *to, parquet_table *table)
{
	const table_log *log = &to->sink.log;

	append_text(&table->buffers[1], log->host, strlen(log->host));
	append_text(&table->buffers[2], log->build, strlen(log->build));
	append_little(&table->buffers[3].values, (uint64_t)log->start_us, sizeof(log->start_us));
	for (size_t i = 1; i < TABLE_ORIGIN_COLUMNS; i++)
		table->buffers[i].present[table->rows] = 1;
}

static int is_group_full(const parquet_table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (table->buffers[i].values.length >= GROUP_BYTES)
			return 1;
	}
	return table->rows == GROUP_ROWS;
}

static int write_row(table_sink *sink)
{
	parquet_sink *to = (parquet_sink *)sink;
	const table_row *row = &sink->row;
	parquet_table *table = &to->tables[row->table];
	FILE *stream = to->files.streams[row->table];
	size_t first = row->table == TABLE_LOGS ? 1 : TABLE_ORIGIN_COLUMNS;

	if (stream == NULL)
		return 1;
	if (table->buffers == NULL)
		table->buffers = calloc(table->column_count, sizeof(*table->buffers));
	if (table->buffers == NULL) {
		to->lacks_memory = 1;
		return 0;
	}
	append_value(to, table, 0, &row->values[0]);
	if (row->table != TABLE_LOGS)
		append_origin(to, table);
	for (size_t i = 1; i < row->count; i++)
		append_value(to, table, first + i - 1, &row->values[i]);
	table->rows++;
	if (is_group_full(table) && !write_group(table, stream)) {
		to->lacks_memory = 1;
		return 0;
	}
	return !ferror(stream);
}

static void describe_column(thrift_buffer *footer, const table_column *column)
{
	thrift_begin(footer);
	thrift_integer(footer, 1, THRIFT_I32, type_of(column->type));
	thrift_integer(footer, 3, THRIFT_I32, 1); /* Optional. */
	thrift_binary(footer, 4, column->name);
	if (column->type == COLUMN_TEXT)
		thrift_integer(footer, 6, THRIFT_I32, 0); /* UTF-8. */
	thrift_end(footer);
}

static void make_footer(const parquet_table *table, thrift_buffer *footer)
{
	thrift_begin(footer);
	thrift_integer(footer, 1, THRIFT_I32, 1);
	thrift_list(footer, 2, THRIFT_STRUCT, table->column_count + 1);
	thrift_begin(footer);
	thrift_binary(footer, 4, "schema");
	thrift_integer(footer, 5, THRIFT_I32, (int64_t)table->column_count);
	thrift_end(footer);
	for (size_t i = 0; i < table->column_count; i++)
		describe_column(footer, &table->columns[i]);
	thrift_integer(footer, 3, THRIFT_I64, table->all_rows);
	thrift_list(footer, 4, THRIFT_STRUCT, table->group_count);
	thrift_append(footer, table->groups.bytes, table->groups.length);
	thrift_binary(footer, 6, "mprof " MPROF_VERSION_STRING);
	thrift_end(footer);
}

/* Returns 0 if out of memory. */
static int end_table(parquet_table *table, FILE *stream)
{
	thrift_buffer footer = {0};
	int is_written = write_group(table, stream);

	make_footer(table, &footer);
	is_written = is_written && !footer.has_failed && !table->groups.has_failed;
	if (is_written) {
		size_t length = footer.length;

		append_little(&footer, length, 4);
		thrift_append(&footer, MAGIC, MAGIC_LENGTH);
		is_written = !footer.has_failed;
		put(table, stream, footer.bytes, footer.length);
	}
	thrift_release(&footer);
	return is_written;
}

static void release_table(parquet_table *table)
{
	for (size_t i = 0; table->buffers != NULL && i < table->column_count; i++)
		thrift_release(&table->buffers[i].values);
	free(table->buffers);
	thrift_release(&table->groups);
}

static void begin_tables(parquet_sink *to)
{
	for (int table = 0; table < TABLES; table++) {
		to->tables[table].column_count = table_file_columns((table_id)table, to->tables[table].columns);
		if (to->files.streams[table] != NULL)
			put(&to->tables[table], to->files.streams[table], MAGIC, MAGIC_LENGTH);
	}
}

static void end_tables(parquet_sink *to)
{
	for (int table = 0; table < TABLES; table++) {
		if (to->files.streams[table] != NULL && !end_table(&to->tables[table], to->files.streams[table]))
			to->lacks_memory = 1;
	}
}

static int write_logs(const export_job *job, export_file *file)
{
	static parquet_sink to = {.sink.write_row = write_row};
	int status;
	int is_whole;

	if (!table_files_open(&to.files, job, file))
		return STATUS_NOTHING;
	begin_tables(&to);
	status = table_logs_add(job, &to.sink);
	if (!to.sink.has_failed)
		end_tables(&to);
	else if (!to.sink.row.has_failed && !to.lacks_memory)
		status = STATUS_DAMAGED; /* Closing the file reports why it cannot be written. */
	if (to.lacks_memory) {
		fprintf(stderr, "mprof: export: %s\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		status = STATUS_NOTHING;
	}
	is_whole = !to.sink.has_failed && (status == STATUS_OK || status == STATUS_DAMAGED);
	for (int table = 0; table < TABLES; table++)
		release_table(&to.tables[table]);
	table_sink_release(&to.sink);
	return table_files_close(&to.files, is_whole) ? status : STATUS_DAMAGED;
}

const export_target export_parquet = {
	.name = "parquet",
	.extension = "-parquet",
	.table_extension = ".parquet",
	.description = "Parquet: a directory with a file for each table, of one or more logs",
	.lacks = "tables hold sums: single calls and objects are left out",
	.kind = EXPORT_TABLES,
	.options =
		EXPORT_HAS_WINDOW | EXPORT_HAS_MANY_FILES | EXPORT_HAS_ORIGIN | EXPORT_HAS_MAX_DEPTH | EXPORT_HAS_TABLE,
	.write_logs = write_logs,
};
