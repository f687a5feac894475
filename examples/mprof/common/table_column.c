/* SPDX-License-Identifier: MIT */
/* Finds columns of the tables of a profile by name. */
#include "common/table_column.h"

#include <string.h>

const mprof_table_column *table_column_find(uint32_t table, const char *name, size_t length)
{
	const mprof_table_column *column;

	for (size_t i = 0; (column = mprof_table_get_column(table, i)) != NULL; i++) {
		if (strlen(column->name) == length && strncmp(column->name, name, length) == 0)
			return column;
	}
	return NULL;
}
