/* SPDX-License-Identifier: MIT */
/* Keeps the versions of keys, and assigns their IDs. */
#include "recorder/queues/key_table.h"

#include "base/checked.h"

#include <string.h>

int key_table_init(key_table *table, const mprof_allocator *allocator, int keys_are_ids)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	table->keys_are_ids = keys_are_ids;
	table->next_id = 1;
	table->version_count = 1;
	hash_index_init(&table->entries, allocator);
	return hash_index_reserve(&table->entries, &key_entries, table);
}

void key_table_destroy(key_table *table)
{
	for (size_t i = 1; i < table->version_count; i++) {
		key_table_forget_name(table, &table->versions[i]);
		key_table_forget_fields(table, &table->versions[i]);
	}
	allocator_release(&table->allocator, table->versions, table->version_capacity * sizeof(*table->versions));
	hash_index_destroy(&table->entries, &key_entries);
	memset(table, 0, sizeof(*table));
}

/* FNV-1a over all fields of a definition but its counter and size. */
static uint64_t hash_definition(const key_definition *definition)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ definition->owner ^ (uint64_t)definition->flags << 56;

	for (size_t i = 0; i < definition->name_length; i++)
		hash = (hash ^ (uint8_t)definition->name[i]) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < definition->source_file_length; i++)
		hash = (hash ^ (uint8_t)definition->source_file[i]) * UINT64_C(0x100000001b3);
	return (hash ^ definition->source_line) * UINT64_C(0x100000001b3);
}

/* Both names are in one allocation. */
static size_t names_size(const key_definition *definition)
{
	return definition->name_length + definition->source_file_length + 2;
}

/* Whether a definition repeats that of a version. An unknown size equals any other. */
static int repeats_definition(const key_version *version, const key_definition *definition, uint64_t hash)
{
	uint32_t size = version->definition.object_size;

	return version->hash == hash && (size == definition->object_size || size == 0 || definition->object_size == 0);
}

static key_entry *entry_at(const key_table *table, size_t i)
{
	return hash_index_slot(&table->entries, &key_entries, i);
}

/* Removes the entries of retired keys. */
static void remove_retired(key_table *table)
{
	for (size_t i = 0; i < table->entries.capacity; i++) {
		key_entry *entry = entry_at(table, i);

		/* A later entry may have moved here. */
		while (entry->key != 0 && entry->version == 0)
			hash_index_remove(&table->entries, &key_entries, table, entry);
	}
	table->retired = 0;
}

/*
 * Reserves an entry for one more key: removes retired keys if that frees half of the entries, otherwise grows the
 * table.
 */
static int reserve_key(key_table *table)
{
	if (table->retired > 0 && table->retired >= table->entries.count / 2)
		remove_retired(table);
	return hash_index_reserve(&table->entries, &key_entries, table);
}

/* Allocates the number of a version; 0 without memory. Versions may move. */
static uint32_t allocate_version(key_table *table)
{
	uint32_t number = table->free_version;
	void *versions = table->versions;

	if (number != 0) {
		table->free_version = table->versions[number].previous;
		return number;
	}
	if (table->version_count > UINT32_MAX || !array_reserve(&table->allocator, &versions, &table->version_capacity,
								table->version_count + 1, sizeof(*table->versions)))
		return 0;
	table->versions = versions;
	return (uint32_t)table->version_count++;
}

static void free_version(key_table *table, uint32_t number)
{
	key_version *version = &table->versions[number];

	key_table_forget_name(table, version);
	key_table_forget_fields(table, version);
	version->previous = table->free_version;
	table->free_version = number;
}

/* Adds a version with a copy of the definition. Returns its number, or 0 without memory. */
static uint32_t create_version(key_table *table, const key_definition *definition, uint64_t hash)
{
	char *copy = allocator_allocate(&table->allocator, names_size(definition));
	uint32_t number;
	key_version *version;

	if (copy == NULL)
		return 0;
	number = allocate_version(table);
	if (number == 0) {
		allocator_release(&table->allocator, copy, names_size(definition));
		return 0;
	}
	memcpy(copy, definition->name, definition->name_length);
	copy[definition->name_length] = '\0';
	version = &table->versions[number];
	*version = (key_version){.definition = *definition, .hash = hash};
	version->definition.name = copy;
	if (definition->source_file_length > 0) {
		copy += definition->name_length + 1;
		memcpy(copy, definition->source_file, definition->source_file_length);
		copy[definition->source_file_length] = '\0';
		version->definition.source_file = copy;
	}
	return number;
}

/*
 * Adds a version as the newest one of a key, whose entry is \p entry, or NULL: then one was reserved. Returns the
 * number of the version before it, or 0.
 */
static uint32_t add_version(key_table *table, key_entry *entry, mprof_key key, uint32_t number)
{
	if (entry == NULL) {
		entry = hash_index_take_slot(&table->entries, &key_entries, hash_address(key));
		entry->key = key;
	} else if (entry->version == 0) {
		table->retired--;
	}
	table->versions[number].previous = entry->version;
	entry->version = number;
	entry->id = 0;
	return table->versions[number].previous;
}

key_change key_table_define(key_table *table, mprof_key key, const key_definition *definition)
{
	uint64_t hash = hash_definition(definition);
	key_entry *entry = key_table_find(table, key);
	uint32_t number = entry == NULL ? 0 : entry->version;

	/* An ID chosen by the client never changes its meaning. */
	if (number != 0 && (table->keys_are_ids || repeats_definition(&table->versions[number], definition, hash))) {
		/* The size can still be added, unless the definition was written. */
		if (table->versions[number].definition.object_size == 0)
			table->versions[number].definition.object_size = definition->object_size;
		return KEY_AS_BEFORE;
	}
	if (entry == NULL && table->entries.count >= table->entries.capacity / 2 && !reserve_key(table))
		return KEY_NO_MEMORY;
	number = create_version(table, definition, hash);
	if (number == 0)
		return KEY_NO_MEMORY;
	return add_version(table, entry, key, number) != 0 ? KEY_CHANGED : KEY_ADDED;
}

int key_table_recover_version(key_table *table, mprof_key key, const key_version *version)
{
	key_entry *entry = key_table_find(table, key);
	uint32_t number;

	if (entry == NULL && table->entries.count >= table->entries.capacity / 2 && !reserve_key(table))
		return 0;
	number = allocate_version(table);
	if (number == 0)
		return 0;
	table->versions[number] = *version;
	(void)add_version(table, entry, key, number);
	if (table->versions[number].previous == 0)
		key_table_find(table, key)->id = version->id;
	return 1;
}

/* Reverses the list of the versions of a key, which begins with \p number. Returns the new first number. */
static uint32_t reverse_versions(key_table *table, uint32_t number)
{
	uint32_t reversed = 0;

	while (number != 0) {
		uint32_t next = table->versions[number].previous;

		table->versions[number].previous = reversed;
		reversed = number;
		number = next;
	}
	return reversed;
}

void key_table_visit(key_table *table, key_visitor visitor, void *user)
{
	for (size_t i = 0; i < table->entries.capacity; i++) {
		const key_entry *entry = entry_at(table, i);
		uint32_t oldest;

		if (entry->key == 0 || entry->version == 0)
			continue;
		oldest = reverse_versions(table, entry->version);
		for (uint32_t number = oldest; number != 0; number = table->versions[number].previous)
			visitor(user, entry->key, &table->versions[number]);
		(void)reverse_versions(table, oldest);
	}
}

static void retire_entry(key_table *table, key_entry *entry)
{
	while (entry->version != 0) {
		uint32_t number = entry->version;

		entry->version = table->versions[number].previous;
		free_version(table, number);
		/* Counts each key once, at its oldest version. */
		table->retired += entry->version == 0;
	}
	entry->id = 0;
}

int key_ranges_hold(const mprof_key_range *ranges, size_t count, mprof_key key)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].last < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && ranges[low].first <= key;
}

/* Whether looking up each key of the ranges takes no more steps than visiting all entries. */
static int ranges_are_small(const key_table *table, const mprof_key_range *ranges, size_t count)
{
	uint64_t keys = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t more = ranges[i].last - ranges[i].first;

		if (more >= table->entries.capacity || keys + more >= table->entries.capacity)
			return 0;
		keys += more + 1;
	}
	return 1;
}

static void retire_each(key_table *table, const mprof_key_range *range)
{
	for (uint64_t i = 0; i <= range->last - range->first; i++) {
		key_entry *entry = key_table_find(table, range->first + i);

		/* Key 0 finds an empty entry. */
		if (entry != NULL && entry->version != 0)
			retire_entry(table, entry);
	}
}

void key_table_retire(key_table *table, const mprof_key_range *ranges, size_t count)
{
	if (table->keys_are_ids)
		return;
	if (ranges_are_small(table, ranges, count)) {
		for (size_t i = 0; i < count; i++)
			retire_each(table, &ranges[i]);
		return;
	}
	for (size_t i = 0; i < table->entries.capacity; i++) {
		key_entry *entry = entry_at(table, i);

		if (entry->version != 0 && key_ranges_hold(ranges, count, entry->key))
			retire_entry(table, entry);
	}
}

key_version *key_table_version(const key_table *table, const key_entry *entry, uint64_t counter)
{
	key_version *version = &table->versions[entry->version];

	while (version->previous != 0 && (int64_t)(counter - version->definition.since) < 0)
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

void key_table_recover_id(key_table *table, mprof_key key, uint64_t since, uint32_t id)
{
	key_entry *entry = key_table_find(table, key);
	uint32_t number = entry != NULL ? entry->version : 0;

	while (number != 0 && (table->versions[number].definition.since != since || table->versions[number].id != 0))
		number = table->versions[number].previous;
	if (number == 0)
		return;
	table->versions[number].id = id;
	if (table->versions[number].previous == 0 && entry->version == number)
		entry->id = id;
	key_table_forget_name(table, &table->versions[number]);
}

void key_table_forget_name(key_table *table, key_version *version)
{
	if (version->definition.name != NULL)
		allocator_release(&table->allocator, (char *)version->definition.name,
				  names_size(&version->definition));
	version->definition.name = NULL;
	version->definition.source_file = NULL;
}

key_version *key_table_version_since(const key_table *table, mprof_key key, uint64_t since)
{
	const key_entry *entry = key_table_find(table, key);
	uint32_t number = entry != NULL ? entry->version : 0;

	while (number != 0 && table->versions[number].definition.since != since)
		number = table->versions[number].previous;
	return number != 0 ? &table->versions[number] : NULL;
}

void key_table_forget_fields(key_table *table, key_version *version)
{
	class_fields_release(&table->allocator, version->fields);
	version->fields = NULL;
}
