/* SPDX-License-Identifier: MIT */
/* Adds records to a table by ID. */
#include "model/record_table.h"

#include "base/array.h"

#include <string.h>

void record_table_init(record_table *table, const mprof_allocator *allocator, size_t record_size)
{
	memset(table, 0, sizeof(*table));
	table->record_size = record_size;
	id_table_init(&table->numbers, allocator);
}

void record_table_destroy(record_table *table)
{
	allocator_release(&table->numbers.sparse.index.allocator, table->records, table->capacity * table->record_size);
	table->records = NULL;
	table->count = 0;
	table->capacity = 0;
	id_table_destroy(&table->numbers);
}

void record_table_clear(record_table *table)
{
	table->count = 0;
	id_table_clear(&table->numbers);
}

void *record_table_add(record_table *table, uint32_t id)
{
	void *record;

	if (!array_reserve(&table->numbers.sparse.index.allocator, &table->records, &table->capacity, table->count + 1,
			   table->record_size) ||
	    !id_table_put(&table->numbers, id, (uint32_t)table->count))
		return NULL;
	record = record_table_at(table, table->count++);
	memset(record, 0, table->record_size);
	memcpy(record, &id, sizeof(id));
	return record;
}
