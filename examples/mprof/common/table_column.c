/* SPDX-License-Identifier: MIT */
/* Finds columns of tables by name, and prints their values by type and unit. */
#include "common/table_column.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int is_text(const char *text, const char *name, size_t length)
{
	return strlen(text) == length && strncmp(text, name, length) == 0;
}

/* The measure with a name; #MPROF_MEASURE_NONE for the name of a column. */
static uint32_t find_measure(const char *name, size_t length)
{
	static const char *const names[] = {
		[MPROF_MEASURE_COUNT] = "@count", [MPROF_MEASURE_SELF] = "@self", [MPROF_MEASURE_TOTAL] = "@total"};

	for (uint32_t measure = MPROF_MEASURE_COUNT; measure < sizeof(names) / sizeof(names[0]); measure++) {
		if (is_text(names[measure], name, length))
			return measure;
	}
	return MPROF_MEASURE_NONE;
}

const mprof_table_column *table_column_find(table_columns columns, uint32_t table, const char *name, size_t length)
{
	const uint32_t measure = find_measure(name, length);
	const mprof_table_column *column;

	for (size_t i = 0; (column = columns(table, i)) != NULL; i++) {
		if (measure != MPROF_MEASURE_NONE ? column->measure == measure : is_text(column->name, name, length))
			return column;
	}
	return NULL;
}

uint64_t table_column_number(const mprof_table_column *column, const void *row)
{
	const unsigned char *field;
	uint32_t word;
	uint64_t number;

	if (column == NULL || column->type == MPROF_TYPE_TEXT)
		return 0;
	field = (const unsigned char *)row + column->offset;
	if (column->type == MPROF_TYPE_UINT32) {
		memcpy(&word, field, sizeof(word));
		return word;
	}
	memcpy(&number, field, sizeof(number));
	return number;
}

const char *table_column_text(const mprof_table_column *column, const void *row)
{
	const char *text = NULL;

	if (column != NULL && column->type == MPROF_TYPE_TEXT)
		memcpy(&text, (const unsigned char *)row + column->offset, sizeof(text));
	return text;
}

const char *table_column_format(const mprof_table_column *column, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	switch (column->unit) {
	case MPROF_UNIT_BYTES:
		return text_bytes(text, number);
	case MPROF_UNIT_NANOSECONDS:
		return text_duration(text, number);
	case MPROF_UNIT_TIME:
		return text_duration(text, (int64_t)number > 0 ? number : 0);
	case MPROF_UNIT_COUNT:
		return text_count(text, number);
	case MPROF_UNIT_THREAD:
		snprintf(text, TEXT_NUMBER_SIZE, "%#" PRIx64, number);
		return text;
	default:
		snprintf(text, TEXT_NUMBER_SIZE, "%" PRIu64, number);
		return text;
	}
}

void table_column_json(json_writer *json, const char *key, const mprof_table_column *column, const void *row)
{
	const uint64_t number = table_column_number(column, row);

	if (column->type == MPROF_TYPE_TEXT)
		json_string(json, key, table_column_text(column, row));
	else if (column->unit == MPROF_UNIT_THREAD || column->unit == MPROF_UNIT_ADDRESS)
		json_hexadecimal(json, key, number);
	else if (column->unit == MPROF_UNIT_BOOLEAN)
		json_boolean(json, key, number != 0);
	else if (column->type == MPROF_TYPE_INT64)
		json_signed(json, key, (int64_t)number);
	else
		json_unsigned(json, key, number);
}

void table_column_cell(int width, const char *text, int is_first)
{
	printf("%s%*s", is_first || width < 0 ? "  " : " ", width, text);
}
