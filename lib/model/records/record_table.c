/* SPDX-License-Identifier: MIT */
/* Tables of rows by key, and by key and call stack. */
#include "model/records/record_table.h"

#include "base/allocator.h"

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
