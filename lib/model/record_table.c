/* SPDX-License-Identifier: MIT */
/* Adds records to a table by ID. */
#include "model/record_table.h"

#include "base/array.h"

#include <string.h>

void record_table_init(record_table *table, const mprof_allocator *allocator, size_t record_size)
{
	memset(table, 0, sizeof(*table));
	table->record_size = record_size;
	id_map_init(&table->positions, allocator);
}

void record_table_destroy(record_table *table)
{
	allocator_release(id_map_allocator(&table->positions), table->records, table->capacity * table->record_size);
	table->records = NULL;
	table->count = 0;
	table->capacity = 0;
	id_map_destroy(&table->positions);
}

void record_table_clear(record_table *table)
{
	table->count = 0;
	id_map_clear(&table->positions);
}

void *record_table_add(record_table *table, uint32_t id)
{
	void *record;

	if (!array_reserve(id_map_allocator(&table->positions), &table->records, &table->capacity, table->count + 1,
			   table->record_size) ||
	    !id_map_put(&table->positions, id, (uint32_t)table->count + 1))
		return NULL;
	record = record_table_at(table, table->count++);
	memset(record, 0, table->record_size);
	memcpy(record, &id, sizeof(id));
	return record;
}
