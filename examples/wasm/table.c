/* SPDX-License-Identifier: MIT */
/* Lists the tables of the module and copies their rows into columns. */
#include "table.h"

#include <string.h>

static const table_list *const lists[] = {&session_tables, &tree_tables, &finding_tables};

/* Maximum number of columns of a table. */
#define MAX_COLUMNS 64

/* Tables that the library describes. Their numbers there are from 1 on, without gaps. */
typedef struct described_tables {
	const mprof_table_info *(*get_info)(uint32_t table);
	const mprof_table_column *(*get_column)(uint32_t table, size_t column);
	size_t (*count)(const log_view *view, uint32_t table);
	mprof_status (*get)(const log_view *view, uint32_t table, size_t index, void *row);
} described_tables;

static size_t count_profile(const log_view *view, uint32_t table)
{
	return mprof_profile_get_row_count(view->profile, table);
}

static mprof_status get_profile(const log_view *view, uint32_t table, size_t index, void *row)
{
	return mprof_profile_get_row(view->profile, table, index, row);
}

static size_t count_graph(const log_view *view, uint32_t table)
{
	return mprof_heap_graph_get_row_count(view->graph, table);
}

static mprof_status get_graph(const log_view *view, uint32_t table, size_t index, void *row)
{
	return mprof_heap_graph_get_row(view->graph, table, index, row);
}

static const described_tables described[] = {
	{mprof_table_get_info, mprof_table_get_column, count_profile, get_profile},
	{mprof_heap_table_get_info, mprof_heap_table_get_column, count_graph, get_graph},
};

#define DESCRIBED (sizeof(described) / sizeof(described[0]))

/* A table of one of the two kinds. The numbers of the module go through all that are described, then all lists. */
typedef struct found_table {
	const described_tables *by; /* NULL for a table of a list. */
	uint32_t number;            /* That of the library, if by is not NULL. */
	const table *listed;        /* NULL if there is no table of the number, too. */
} found_table;

static uint32_t count_described(const described_tables *tables)
{
	uint32_t count = 0;

	while (tables->get_info(count + 1) != NULL)
		count++;
	return count;
}

static found_table find_table(uint32_t number)
{
	for (size_t i = 0; i < DESCRIBED; i++) {
		const uint32_t count = count_described(&described[i]);

		if (number < count)
			return (found_table){&described[i], number + 1, NULL};
		number -= count;
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (number < lists[i]->count)
			return (found_table){NULL, 0, &lists[i]->tables[number]};
		number -= (uint32_t)lists[i]->count;
	}
	return (found_table){NULL, 0, NULL};
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

static table_column get_column(const found_table *found, uint32_t index)
{
	const mprof_table_column *column;

	if (found->by == NULL)
		return found->listed->columns[index];
	column = found->by->get_column(found->number, index);
	return (table_column){
		column->name,          (uint32_t)column->offset, (uint16_t)type_of(column), (uint16_t)column->length,
		(uint8_t)column->unit, (uint8_t)column->measure};
}

static uint32_t count_columns(const found_table *found)
{
	return (uint32_t)(found->by == NULL ? found->listed->column_count
					    : found->by->get_info(found->number)->column_count);
}

uint32_t WASM_EXPORT(mprof_js_table_get_count)(void)
{
	uint32_t count = 0;

	for (size_t i = 0; i < DESCRIBED; i++)
		count += count_described(&described[i]);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		count += (uint32_t)lists[i]->count;
	return count;
}

const char *WASM_EXPORT(mprof_js_table_get_name)(uint32_t number)
{
	const found_table found = find_table(number);

	return found.by == NULL ? found.listed->name : found.by->get_info(found.number)->name;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_count)(uint32_t number)
{
	const found_table found = find_table(number);

	return count_columns(&found);
}

const char *WASM_EXPORT(mprof_js_table_get_column_name)(uint32_t number, uint32_t column)
{
	const found_table found = find_table(number);

	return get_column(&found, column).name;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_type)(uint32_t number, uint32_t column)
{
	const found_table found = find_table(number);

	return get_column(&found, column).type;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_length)(uint32_t number, uint32_t column)
{
	const found_table found = find_table(number);

	return get_column(&found, column).length;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_unit)(uint32_t number, uint32_t column)
{
	const found_table found = find_table(number);

	return get_column(&found, column).unit;
}

uint32_t WASM_EXPORT(mprof_js_table_get_column_measure)(uint32_t number, uint32_t column)
{
	const found_table found = find_table(number);

	return get_column(&found, column).measure;
}

uint32_t WASM_EXPORT(mprof_js_table_get_row_count)(const log_view *view, uint32_t number, uint32_t which)
{
	const found_table found = find_table(number);

	return (uint32_t)(found.by == NULL ? found.listed->count(view, which) : found.by->count(view, found.number));
}

static mprof_status get_row(const log_view *view, const found_table *found, uint32_t which, size_t index, size_t *row)
{
	if (found->by == NULL)
		return found->listed->get(view, which, index, row);
	*row = found->by->get_info(found->number)->row_size;
	return *row <= TABLE_ROW_SIZE ? found->by->get(view, found->number, index, row) : MPROF_ERR_ARGUMENT;
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
	const found_table found = find_table(number);
	const uint32_t column_count = count_columns(&found);
	uint32_t count = 0;

	if (column_count > MAX_COLUMNS)
		return 0;
	for (uint32_t i = 0; i < column_count; i++)
		columns[i] = get_column(&found, i);
	rounded = 0;
	for (; count < capacity; count++) {
		uint8_t *column_start = out;

		row.struct_size = 0;
		if (get_row(view, &found, which, first + count, &row.struct_size) != MPROF_OK)
			break;
		for (uint32_t i = 0; i < column_count; i++) {
			size_t cell = column_width(&columns[i]) * columns[i].length;

			store_field(&columns[i], (const uint8_t *)&row, column_start + count * cell, exact);
			column_start += (cell * capacity + 7) & ~(size_t)7;
		}
	}
	return count;
}
