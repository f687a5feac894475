/* SPDX-License-Identifier: MIT */
/* Lists the tables of the module and copies their rows into columns. */
#include "table.h"

#include <string.h>

static const table_list *const lists[] = {&session_tables, &heap_tables};

/* Maximum number of columns of a table. */
#define MAX_COLUMNS 64

/* The tables of a profile come first; their numbers are those of the library minus 1. */
static uint32_t count_profile_tables(void)
{
	static uint32_t count;

	while (mprof_table_get_info(count + 1) != NULL)
		count++;
	return count;
}

/* NULL for a table of a profile. The numbers of the other tables go through all lists. */
static const table *find_table(uint32_t number)
{
	const uint32_t profile_tables = count_profile_tables();

	if (number < profile_tables)
		return NULL;
	number -= profile_tables;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (number < lists[i]->count)
			return &lists[i]->tables[number];
		number -= (uint32_t)lists[i]->count;
	}
	return NULL;
}

static column_type type_of(const mprof_table_column *column)
{
	switch ((mprof_column_type)column->type) {
	case MPROF_TYPE_UINT32:
		return COLUMN_U32;
	case MPROF_TYPE_INT64:
		return COLUMN_S64;
	case MPROF_TYPE_TEXT:
		return COLUMN_TEXT;
	default:
		return column->unit == MPROF_UNIT_THREAD || column->unit == MPROF_UNIT_ADDRESS ? COLUMN_EXACT
											       : COLUMN_U64;
	}
}

static table_column get_column(uint32_t number, uint32_t index)
{
	const table *found = find_table(number);
	const mprof_table_column *column;

	if (found != NULL)
		return found->columns[index];
	column = mprof_table_get_column(number + 1, index);
	return (table_column){column->name, (uint32_t)column->offset, (uint16_t)type_of(column),
			      (uint16_t)column->length};
}

uint32_t WASM_EXPORT(mprof_js_table_get_count)(void)
{
	uint32_t count = count_profile_tables();

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		count += (uint32_t)lists[i]->count;
	return count;
}

const char *WASM_EXPORT(mprof_js_table_get_name)(uint32_t number)
{
	const table *found = find_table(number);

	return found != NULL ? found->name : mprof_table_get_info(number + 1)->name;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_count)(uint32_t number)
{
	const table *found = find_table(number);

	return (uint32_t)(found != NULL ? found->column_count : mprof_table_get_info(number + 1)->column_count);
}

const char *WASM_EXPORT(mprof_js_table_get_column_name)(uint32_t number, uint32_t column)
{
	return get_column(number, column).name;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_type)(uint32_t number, uint32_t column)
{
	return get_column(number, column).type;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_length)(uint32_t number, uint32_t column)
{
	return get_column(number, column).length;
}

uint32_t WASM_EXPORT(mprof_js_table_get_row_count)(const log_view *view, uint32_t number, uint32_t which)
{
	const table *found = find_table(number);

	return (uint32_t)(found != NULL ? found->count(view, which)
					: mprof_profile_get_row_count(view->profile, number + 1));
}

static mprof_status get_row(const log_view *view, uint32_t number, uint32_t which, size_t index, size_t *row)
{
	const table *found = find_table(number);

	if (found != NULL)
		return found->get(view, which, index, row);
	*row = mprof_table_get_info(number + 1)->row_size;
	return *row <= TABLE_ROW_SIZE ? mprof_profile_get_row(view->profile, number + 1, index, row)
				      : MPROF_ERR_ARGUMENT;
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
	static union {
		uint64_t words[TABLE_ROW_SIZE / sizeof(uint64_t)];
		size_t struct_size;
	} row;
	table_column columns[MAX_COLUMNS];
	const uint32_t column_count = mprof_js_table_get_column_count(number);
	uint32_t count = 0;

	if (column_count > MAX_COLUMNS)
		return 0;
	for (uint32_t i = 0; i < column_count; i++)
		columns[i] = get_column(number, i);
	rounded = 0;
	for (; count < capacity; count++) {
		uint8_t *column_start = out;

		row.struct_size = 0;
		if (get_row(view, number, which, first + count, &row.struct_size) != MPROF_OK)
			break;
		for (uint32_t i = 0; i < column_count; i++) {
			size_t cell = column_width(&columns[i]) * columns[i].length;

			store_field(&columns[i], (const uint8_t *)&row, column_start + count * cell, exact);
			column_start += (cell * capacity + 7) & ~(size_t)7;
		}
	}
	return count;
}
