/* SPDX-License-Identifier: MIT */
/* Finds the number of an ID. */
#include "model/id_table.h"

#include "base/array.h"

#include <string.h>

void id_table_init(id_table *table, const mprof_allocator *allocator)
{
	table->dense = NULL;
	table->capacity = 0;
	hash_map_init(&table->sparse, allocator);
}

void id_table_destroy(id_table *table)
{
	allocator_release(&table->sparse.index.allocator, table->dense, table->capacity * sizeof(*table->dense));
	table->dense = NULL;
	table->capacity = 0;
	hash_map_destroy(&table->sparse);
}

void id_table_clear(id_table *table)
{
	const mprof_allocator allocator = table->sparse.index.allocator;

	if (table->capacity > 0)
		memset(table->dense, 0, table->capacity * sizeof(*table->dense));
	hash_map_destroy(&table->sparse);
	hash_map_init(&table->sparse, &allocator);
}

int id_table_put(id_table *table, uint32_t id, uint32_t number)
{
	size_t old_capacity = table->capacity;
	void *dense = table->dense;

	/* The array never grows over an ID that was hashed before: it grows by doubling from 8 up to the limit. */
	if (id >= ID_TABLE_DENSE_LIMIT)
		return hash_map_put(&table->sparse, id, number);
	if (!array_reserve(&table->sparse.index.allocator, &dense, &table->capacity, (size_t)id + 1,
			   sizeof(*table->dense)))
		return 0;
	table->dense = dense;
	memset(table->dense + old_capacity, 0, (table->capacity - old_capacity) * sizeof(*table->dense));
	table->dense[id] = number + 1;
	return 1;
}
