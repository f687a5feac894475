/* SPDX-License-Identifier: MIT */
#include "recorder/key_table.h"

#include "base/array.h"

#include <string.h>

#define FIRST_CAPACITY 1024

int key_table_init(key_table *table, const mprof_allocator *allocator, int keys_are_ids)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	table->keys_are_ids = keys_are_ids;
	table->next_id = 1;
	table->version_count = 1;
	table->capacity = FIRST_CAPACITY;
	table->shift = 64 - 10;
	table->entries = allocator_allocate_zeroed(allocator, table->capacity * sizeof(*table->entries));
	if (table->entries == NULL)
		table->capacity = 0;
	return table->entries != NULL;
}

void key_table_destroy(key_table *table)
{
	for (size_t i = 1; i < table->version_count; i++)
		key_table_forget_name(table, &table->versions[i]);
	allocator_release(&table->allocator, table->versions, table->version_capacity * sizeof(*table->versions));
	allocator_release(&table->allocator, table->entries, table->capacity * sizeof(*table->entries));
	memset(table, 0, sizeof(*table));
}

/* FNV-1a, over everything that makes a definition what it is. */
static uint64_t hash_definition(mprof_key owner, uint32_t flags, const char *name, size_t name_length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ owner ^ (uint64_t)flags << 56;

	for (size_t i = 0; i < name_length; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static key_entry *empty_place(key_entry *entries, size_t capacity, uint32_t shift, mprof_key key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> shift);

	while (entries[i].key != 0)
		i = (i + 1) & (capacity - 1);
	return &entries[i];
}

static int grow(key_table *table)
{
	size_t capacity;
	size_t size;
	key_entry *entries;

	if (!checked_multiply(table->capacity, 2, &capacity) || !checked_multiply(capacity, sizeof(*entries), &size))
		return 0;
	entries = allocator_allocate_zeroed(&table->allocator, size);
	if (entries == NULL)
		return 0;
	for (size_t i = 0; i < table->capacity; i++) {
		if (table->entries[i].key != 0)
			*empty_place(entries, capacity, table->shift - 1, table->entries[i].key) = table->entries[i];
	}
	allocator_release(&table->allocator, table->entries, table->capacity * sizeof(*table->entries));
	table->entries = entries;
	table->capacity = capacity;
	table->shift--;
	return 1;
}

static key_entry *entry_for(key_table *table, mprof_key key)
{
	key_entry *entry = key_table_find(table, key);

	if (entry != NULL)
		return entry;
	/* At most half full, so that probing stays short. */
	if (table->count >= table->capacity / 2 && !grow(table))
		return NULL;
	entry = empty_place(table->entries, table->capacity, table->shift, key);
	entry->key = key;
	table->count++;
	return entry;
}

int key_table_define(key_table *table, mprof_key key, mprof_key owner, uint32_t flags, const char *name,
		     size_t name_length, uint64_t since)
{
	uint64_t hash = hash_definition(owner, flags, name, name_length);
	key_entry *entry = key_table_find(table, key);
	key_version *version;
	void *versions = table->versions;
	char *copy;

	/* An ID that the client chose means the same for ever. */
	if (entry != NULL && (table->keys_are_ids || table->versions[entry->version].name_hash == hash))
		return 1;
	if (!array_reserve(&table->allocator, &versions, &table->version_capacity, table->version_count + 1,
			   sizeof(*table->versions)))
		return 0;
	table->versions = versions;
	copy = allocator_allocate(&table->allocator, name_length + 1);
	if (copy == NULL)
		return 0;
	entry = entry_for(table, key);
	if (entry == NULL) {
		allocator_release(&table->allocator, copy, name_length + 1);
		return 0;
	}
	memcpy(copy, name, name_length);
	copy[name_length] = '\0';
	version = &table->versions[table->version_count];
	*version = (key_version){since, hash, owner, copy, name_length, flags, 0, entry->version};
	entry->version = (uint32_t)table->version_count++;
	entry->id = 0;
	return 1;
}

key_version *key_table_version(const key_table *table, const key_entry *entry, uint64_t counter)
{
	key_version *version = &table->versions[entry->version];

	while (version->previous != 0 && (int64_t)(counter - version->since) < 0)
		version = &table->versions[version->previous];
	return version;
}

uint32_t key_table_assign(key_table *table, key_entry *entry, key_version *version)
{
	version->id = table->keys_are_ids ? (uint32_t)entry->key : table->next_id++;
	if (version->previous == 0 && &table->versions[entry->version] == version)
		entry->id = version->id;
	return version->id;
}

void key_table_forget_name(key_table *table, key_version *version)
{
	if (version->name != NULL)
		allocator_release(&table->allocator, version->name, version->name_length + 1);
	version->name = NULL;
}
