/* SPDX-License-Identifier: MIT */
#include "model/site_table.h"

#include "base/array.h"
#include "base/hash.h"

#include <string.h>

#define FIRST_PLACE_COUNT 64
#define FIRST_SHIFT 58

void site_table_init(site_table *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	table->seed = hash_seed();
}

void site_table_destroy(site_table *table)
{
	allocator_release(&table->allocator, table->records, table->capacity * sizeof(*table->records));
	allocator_release(&table->allocator, table->slots, table->slot_count * sizeof(*table->slots));
	table->records = NULL;
	table->slots = NULL;
	table->count = 0;
	table->capacity = 0;
	table->slot_count = 0;
}

static void put_in_slot(site_table *table, size_t number)
{
	size_t i = site_table_first_slot(table, &table->records[number].key);

	while (table->slots[i] != 0)
		i = (i + 1) & (table->slot_count - 1);
	table->slots[i] = (uint32_t)number + 1;
}

/* Keeps at most a quarter of the slots occupied: most sites are then found in the first one. */
static int reserve_slots(site_table *table, size_t record_count)
{
	size_t slot_count = table->slot_count == 0 ? FIRST_PLACE_COUNT : table->slot_count * 2;
	uint32_t *slots;
	size_t size;

	if (record_count <= table->slot_count / 4)
		return 1;
	if (!checked_multiply(slot_count, sizeof(*slots), &size))
		return 0;
	slots = allocator_allocate_zeroed(&table->allocator, size);
	if (slots == NULL)
		return 0;
	allocator_release(&table->allocator, table->slots, table->slot_count * sizeof(*table->slots));
	table->shift = table->slot_count == 0 ? FIRST_SHIFT : table->shift - 1;
	table->slots = slots;
	table->slot_count = slot_count;
	for (size_t i = 0; i < table->count; i++)
		put_in_slot(table, i);
	return 1;
}

static size_t append(site_table *table, const site_key *key)
{
	void *records = table->records;
	site_record *record;

	if (table->count >= UINT32_MAX - 1 ||
	    !array_reserve(&table->allocator, &records, &table->capacity, table->count + 1, sizeof(*table->records)))
		return SITE_TABLE_NONE;
	table->records = records;
	if (!reserve_slots(table, table->count + 1))
		return SITE_TABLE_NONE;
	record = &table->records[table->count];
	memset(record, 0, sizeof(*record));
	record->key = *key;
	put_in_slot(table, table->count);
	return table->count++;
}

size_t site_table_find_or_add(site_table *table, const site_key *key)
{
	if (table->slot_count == 0)
		return append(table, key);
	for (size_t i = site_table_first_slot(table, key);; i = (i + 1) & (table->slot_count - 1)) {
		if (table->slots[i] == 0)
			return append(table, key);
		if (site_key_is_same(&table->records[table->slots[i] - 1].key, key))
			return table->slots[i] - 1;
	}
}
