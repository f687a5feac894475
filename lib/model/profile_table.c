/* SPDX-License-Identifier: MIT */
/* Gets rows of the tables of a profile: checks the arguments and converts to the size of the caller's struct. */
#include "model/profile_table.h"

#include "base/options.h"

#include <stddef.h>
#include <string.h>

typedef union row_buffer {
	max_align_t alignment;
	unsigned char bytes[PROFILE_ROW_SIZE];
} row_buffer;

static mprof_status get_row(const profile_table *table, const mprof_profile *profile, size_t index, void *given)
{
	row_buffer row;

	memset(row.bytes, 0, table->row_size);
	table->store(profile, index, row.bytes);
	return struct_copy_out(given, row.bytes, table->row_size);
}

mprof_status profile_table_get(const profile_table *table, const mprof_profile *profile, size_t index, void *given)
{
	if (given == NULL || index >= table->count(profile))
		return MPROF_ERR_ARGUMENT;
	return get_row(table, profile, index, given);
}

mprof_status profile_table_get_many(const profile_table *table, const mprof_profile *profile, size_t first, void *rows,
				    size_t row_size, size_t capacity, size_t *count)
{
	unsigned char *given = rows;
	size_t total;
	size_t available;

	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	total = table->count(profile);
	if (profile == NULL || (rows == NULL && capacity > 0) || row_size < sizeof(row_size) || first > total)
		return MPROF_ERR_ARGUMENT;
	available = total - first < capacity ? total - first : capacity;
	for (size_t i = 0; i < available; i++, given += row_size) {
		memcpy(given, &row_size, sizeof(row_size));
		(void)get_row(table, profile, first + i, given);
	}
	*count = available;
	return MPROF_OK;
}
