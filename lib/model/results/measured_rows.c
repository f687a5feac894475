/* SPDX-License-Identifier: MIT */
/* Reads rows of any table by the descriptions of its columns. */
#include "model/results/measured_rows.h"

#include <string.h>

/* Room for a row of each table that has measures. */
typedef union row_room {
	size_t struct_size;
	uint64_t words[64];
} row_room;

static uint64_t number_at(const mprof_table_column *column, const row_room *room)
{
	const unsigned char *field = (const unsigned char *)room + column->offset;
	uint32_t word;
	uint64_t number;

	if (column->type == MPROF_TYPE_TEXT)
		return 0;
	if (column->type == MPROF_TYPE_UINT32) {
		memcpy(&word, field, sizeof(word));
		return word;
	}
	memcpy(&number, field, sizeof(number));
	return number;
}

/* The first column, or the first after the kind, is what the row is about. Further methods are callers. */
static void store_field(measured_row *row, const mprof_table_column *column, int is_first, uint64_t number)
{
	switch ((mprof_column_unit)column->unit) {
	case MPROF_UNIT_KIND:
		row->kind = is_first ? (uint32_t)number : row->kind;
		break;
	case MPROF_UNIT_CLASS:
	case MPROF_UNIT_NUMBER:
		row->id = (uint32_t)number;
		break;
	case MPROF_UNIT_METHOD:
		row->kind = is_first ? MPROF_SAMPLE_METHOD : row->kind;
		*(is_first ? &row->id : &row->caller) = (uint32_t)number;
		break;
	case MPROF_UNIT_STACK:
		row->stack = (uint32_t)number;
		break;
	case MPROF_UNIT_CALL:
		row->call = (uint32_t)number;
		break;
	case MPROF_UNIT_BITS:
		row->flags = (uint32_t)number;
		break;
	default:
		break;
	}
}

int measured_rows_get(const mprof_profile *profile, uint32_t table, size_t index, measured_row *row)
{
	const mprof_table_column *column;
	row_room room;

	memset(row, 0, sizeof(*row));
	room.struct_size = sizeof(room);
	if (mprof_profile_get_row(profile, table, index, &room) != MPROF_OK)
		return 0;
	for (size_t i = 0; (column = mprof_table_get_column(table, i)) != NULL; i++) {
		const uint64_t number = number_at(column, &room);

		if (column->measure != MPROF_MEASURE_NONE)
			row->values[column->measure] = number;
		else
			store_field(row, column, i == 0, number);
	}
	return 1;
}
