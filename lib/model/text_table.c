/* SPDX-License-Identifier: MIT */
/* Stores texts once. */
#include "model/text_table.h"

#include "base/array.h"

typedef struct wanted_text {
	uint64_t hash;
	const char *text;
	size_t length;
} wanted_text;

static uint64_t hash_of_entry(const void *owner, const void *slot)
{
	return ((const text_table *)owner)->entries[*(const uint32_t *)slot - 1].hash;
}

static int matches_text(const void *owner, const void *slot, const void *key)
{
	const text_table *table = owner;
	const wanted_text *wanted = key;
	uint32_t position = *(const uint32_t *)slot;
	const text_entry *entry;

	if (position == 0)
		return 0;
	entry = &table->entries[position - 1];
	return entry->hash == wanted->hash && entry->length == wanted->length &&
	       memcmp(table->bytes + entry->offset, wanted->text, wanted->length) == 0;
}

static const hash_index_type text_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 256,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = hash_of_entry,
};

int text_table_init(text_table *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	hash_index_init(&table->numbers, &table->allocator);
	return text_table_add(table, "", 0) == TEXT_TABLE_EMPTY;
}

void text_table_destroy(text_table *table)
{
	hash_index_destroy(&table->numbers, &text_slots);
	allocator_release(&table->allocator, table->entries, table->capacity * sizeof(*table->entries));
	allocator_release(&table->allocator, table->bytes, table->size);
	table->entries = NULL;
	table->bytes = NULL;
	table->count = 0;
}

static int reserve(text_table *table, size_t length)
{
	void *entries = table->entries;
	void *bytes = table->bytes;
	size_t needed;
	int is_reserved = table->count < TEXT_TABLE_NONE && checked_add(table->length, length, &needed) &&
			  checked_add(needed, 1, &needed) && hash_index_reserve(&table->numbers, &text_slots, table) &&
			  array_reserve(&table->allocator, &entries, &table->capacity, table->count + 1,
					sizeof(*table->entries)) &&
			  array_reserve(&table->allocator, &bytes, &table->size, needed, 1);

	table->entries = entries;
	table->bytes = bytes;
	return is_reserved;
}

uint32_t text_table_add(text_table *table, const char *text, size_t length)
{
	wanted_text wanted = {table->numbers.seed, text, length};
	const uint32_t *found;

	for (size_t i = 0; i < length; i++)
		wanted.hash = hash_mix(wanted.hash, (unsigned char)text[i]);
	wanted.hash = hash_key(wanted.hash, length);
	found = hash_index_find(&table->numbers, &text_slots, wanted.hash, matches_text, table, &wanted);
	if (found != NULL)
		return *found - 1;
	if (!reserve(table, length))
		return TEXT_TABLE_NONE;
	table->entries[table->count++] = (text_entry){wanted.hash, table->length, length};
	memcpy(table->bytes + table->length, text, length);
	table->length += length;
	table->bytes[table->length++] = '\0';
	*(uint32_t *)hash_index_take_slot(&table->numbers, &text_slots, wanted.hash) = (uint32_t)table->count;
	return (uint32_t)table->count - 1;
}
