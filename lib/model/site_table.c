/* SPDX-License-Identifier: MIT */
/* Adds sites to a table. */
#include "model/site_table.h"

#include "base/array.h"

#include <string.h>

void site_table_init(site_table *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	hash_index_init(&table->sites, allocator);
}

void site_table_destroy(site_table *table)
{
	allocator_release(&table->sites.allocator, table->records, table->capacity * sizeof(*table->records));
	hash_index_destroy(&table->sites, &site_slots);
	table->records = NULL;
	table->count = 0;
	table->capacity = 0;
}

size_t site_table_add(site_table *table, const site_key *key)
{
	void *records = table->records;
	site_record *record;
	uint32_t *slot;

	if (table->count >= UINT32_MAX - 1 || !array_reserve(&table->sites.allocator, &records, &table->capacity,
							     table->count + 1, sizeof(*table->records)))
		return SITE_TABLE_NONE;
	table->records = records;
	if (!hash_index_reserve(&table->sites, &site_slots, table))
		return SITE_TABLE_NONE;
	record = &table->records[table->count];
	memset(record, 0, sizeof(*record));
	record->key = *key;
	slot = hash_index_take_slot(&table->sites, &site_slots, site_key_hash(table, key));
	*slot = (uint32_t)++table->count;
	return table->count - 1;
}
