/* SPDX-License-Identifier: MIT */
/* Builds rows of tables. */
#include "export/table_sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static table_value *add_value(table_sink *sink)
{
	static table_value spare;
	table_row *row = &sink->row;
	table_value *value;

	if (row->count == TABLE_COLUMNS_MAX) {
		row->has_failed = 1;
		return &spare;
	}
	value = &row->values[row->count++];
	memset(value, 0, sizeof(*value));
	return value;
}

void table_begin_row(table_sink *sink, table_id table)
{
	sink->row.table = table;
	sink->row.count = 0;
	sink->row.text_length = 0;
	table_signed(sink, sink->log.number);
}

void table_null(table_sink *sink)
{
	add_value(sink)->is_null = 1;
}

void table_unsigned(table_sink *sink, uint64_t number)
{
	table_value *value = add_value(sink);

	if (number > INT64_MAX) {
		value->is_null = 1;
		sink->row.too_large++;
		return;
	}
	value->integer = (int64_t)number;
}

void table_signed(table_sink *sink, int64_t number)
{
	add_value(sink)->integer = number;
}

void table_boolean(table_sink *sink, int number)
{
	add_value(sink)->integer = number != 0;
}

void table_real(table_sink *sink, double number)
{
	add_value(sink)->real = number;
}

/* Appends to the texts of the row. */
static void append_text(table_row *row, const char *text, size_t length)
{
	size_t needed = row->text_length + length;

	/* An empty text has an address, too: NULL would be no text. */
	if (needed > row->text_capacity || row->text == NULL) {
		size_t capacity = 2 * needed + 256;
		char *larger = realloc(row->text, capacity);

		if (larger == NULL) {
			row->has_failed = 1;
			return;
		}
		row->text = larger;
		row->text_capacity = capacity;
	}
	memcpy(row->text + row->text_length, text, length);
	row->text_length = needed;
}

static void append_plain(table_row *row, const char *text)
{
	const char *plain = plain_text(&row->plain, text);

	if (plain == NULL)
		row->has_failed = 1;
	else
		append_text(row, plain, strlen(plain));
}

static void begin_text(table_sink *sink)
{
	size_t start = sink->row.text_length;

	add_value(sink)->text = start;
}

static void end_text(table_row *row)
{
	table_value *value = &row->values[row->count - 1];

	value->length = row->text_length - value->text;
}

void table_text(table_sink *sink, const char *text)
{
	if (text == NULL) {
		table_null(sink);
		return;
	}
	begin_text(sink);
	append_plain(&sink->row, text);
	end_text(&sink->row);
}

void table_frame(table_sink *sink, const char *name, int is_first)
{
	if (is_first)
		begin_text(sink);
	else
		append_text(&sink->row, "\n", 1);
	append_plain(&sink->row, name);
	end_text(&sink->row);
}

void table_address(table_sink *sink, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	table_text(sink, text);
}

void table_end_row(table_sink *sink)
{
	if (sink->row.has_failed || sink->row.count != table_describe(sink->row.table)->column_count + 1)
		sink->has_failed = 1;
	if (!sink->has_failed && !sink->write_row(sink))
		sink->has_failed = 1;
}

const char *table_text_of(const table_row *row, const table_value *value)
{
	return value->length > 0 ? row->text + value->text : "";
}

void table_sink_release(table_sink *sink)
{
	free(sink->row.text);
	plain_text_release(&sink->row.plain);
}
