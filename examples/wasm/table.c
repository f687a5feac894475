/* SPDX-License-Identifier: MIT */
/* Lists the tables of the module and copies their rows into columns. */
#include "table.h"

#include <string.h>

static const table_list *const lists[] = {&session_tables, &profile_tables, &heap_tables};

/* The numbers of the tables go through all lists. */
static const table *find_table(uint32_t number)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (number < lists[i]->count)
			return &lists[i]->tables[number];
		number -= (uint32_t)lists[i]->count;
	}
	return NULL;
}

uint32_t WASM_EXPORT(mprof_js_table_get_count)(void)
{
	uint32_t count = 0;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		count += (uint32_t)lists[i]->count;
	return count;
}

const char *WASM_EXPORT(mprof_js_table_get_name)(uint32_t number)
{
	return find_table(number)->name;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_count)(uint32_t number)
{
	return (uint32_t)find_table(number)->column_count;
}

const char *WASM_EXPORT(mprof_js_table_get_column_name)(uint32_t number, uint32_t column)
{
	return find_table(number)->columns[column].name;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_type)(uint32_t number, uint32_t column)
{
	return find_table(number)->columns[column].type;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_length)(uint32_t number, uint32_t column)
{
	return find_table(number)->columns[column].length;
}

uint32_t WASM_EXPORT(mprof_js_table_get_row_count)(const log_view *view, uint32_t number, uint32_t which)
{
	return (uint32_t)find_table(number)->count(view, which);
}

/* Largest integer up to which doubles represent every one. */
#define EXACT_LIMIT (UINT64_C(1) << 53)

/* Number of amounts that the last fill may have rounded. */
static uint32_t rounded;

uint32_t WASM_EXPORT(mprof_js_table_get_rounded)(void)
{
	return rounded;
}

static double unsigned_to_double(uint64_t value)
{
	if (value > EXACT_LIMIT)
		rounded++;
	return (double)value;
}

static double signed_to_double(int64_t value)
{
	if (value > (int64_t)EXACT_LIMIT || value < -(int64_t)EXACT_LIMIT)
		rounded++;
	return (double)value;
}

static void store_word(const table_column *column, const uint8_t *field, uint8_t *out)
{
	uint32_t word = 0;

	/* A pointer and a size_t have 32 bits here. */
	memcpy(&word, field, sizeof(word));
	memcpy(out, &word, sizeof(word));
	(void)column;
}

static void store_double_word(const table_column *column, const uint8_t *field, uint8_t *out, uint32_t exact)
{
	uint64_t value;
	double number;

	memcpy(&value, field, sizeof(value));
	if (exact || column->type == COLUMN_EXACT || column->type == COLUMN_DOUBLE) {
		memcpy(out, &value, sizeof(value));
		return;
	}
	number = column->type == COLUMN_S64 ? signed_to_double((int64_t)value) : unsigned_to_double(value);
	memcpy(out, &number, sizeof(number));
}

static size_t column_width(const table_column *column)
{
	switch ((column_type)column->type) {
	case COLUMN_U32:
	case COLUMN_TEXT:
	case COLUMN_WORD:
		return sizeof(uint32_t);
	default:
		return sizeof(uint64_t);
	}
}

static void store_field(const table_column *column, const uint8_t *row, uint8_t *out, uint32_t exact)
{
	size_t width = column_width(column);

	for (size_t i = 0; i < column->length; i++) {
		if (width == sizeof(uint32_t))
			store_word(column, row + column->offset + i * width, out + i * width);
		else
			store_double_word(column, row + column->offset + i * width, out + i * width, exact);
	}
}

/*
 * Copies up to capacity rows from first on to columns, one after the other, each with room for capacity rows, rounded
 * up to 8 bytes. With exact, amounts are integers of 64 bits, else doubles. Returns the number of rows.
 */
uint32_t WASM_EXPORT(mprof_js_table_fill)(const log_view *view, uint32_t number, uint32_t which, uint32_t first,
					  uint32_t capacity, uint8_t *out, uint32_t exact)
{
	static uint64_t row[TABLE_ROW_SIZE / sizeof(uint64_t)];
	const table *from = find_table(number);
	uint32_t count = 0;

	rounded = 0;
	for (; count < capacity; count++) {
		uint8_t *column_start = out;

		memset(row, 0, sizeof(size_t));
		if (from->get(view, which, first + count, row) != MPROF_OK)
			break;
		for (size_t i = 0; i < from->column_count; i++) {
			const table_column *column = &from->columns[i];
			size_t cell = column_width(column) * column->length;

			store_field(column, (const uint8_t *)row, column_start + count * cell, exact);
			column_start += (cell * capacity + 7) & ~(size_t)7;
		}
	}
	return count;
}
