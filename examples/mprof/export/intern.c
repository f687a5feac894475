/* SPDX-License-Identifier: MIT */
/* Sets of numbers, and numbers for values. */
#include "export/intern.h"

#include <stdlib.h>
#include <string.h>

/* A set of IDs: bits for small ones, so that a log with a large one does not need much memory. */

#define MAX_WORDS ((size_t)1 << 14)

static int reserve_word(id_set *set, size_t index)
{
	size_t count = set->word_count;
	uint64_t *words;

	if (index < count)
		return 1;
	while (count <= index)
		count = 2 * count + 16;
	words = realloc(set->words, count * sizeof(*words));
	if (words == NULL)
		return 0;
	memset(words + set->word_count, 0, (count - set->word_count) * sizeof(*words));
	set->words = words;
	set->word_count = count;
	return 1;
}

int id_set_add_slow(id_set *set, uint32_t id)
{
	uint64_t bit = UINT64_C(1) << id % 64;
	int is_new;

	if (id / 64 >= MAX_WORDS)
		return key_map_add(&set->others, id);
	if (!reserve_word(set, id / 64))
		return -1;
	is_new = (set->words[id / 64] & bit) == 0;
	set->words[id / 64] |= bit;
	return is_new;
}

void id_set_clear(id_set *set)
{
	free(set->words);
	key_map_clear(&set->others);
	memset(set, 0, sizeof(*set));
}

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

typedef struct index_entry {
	uint64_t hash;
	uint64_t index;
} index_entry;

static uint64_t hash_bytes(const unsigned char *bytes, size_t size)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * HASH_PRIME;
	return hash;
}

/* Makes room for one more entry. Returns 0 if out of memory. */
static int reserve(intern_table *table, size_t size)
{
	if (size > table->capacity - table->used) {
		size_t capacity = 2 * table->capacity + size + 4096;
		char *bytes = realloc(table->bytes, capacity);

		if (bytes == NULL)
			return 0;
		table->bytes = bytes;
		table->capacity = capacity;
	}
	if (table->count == table->entry_capacity) {
		size_t capacity = 2 * table->entry_capacity + 256;
		intern_entry *entries = realloc(table->entries, capacity * sizeof(*entries));

		if (entries == NULL)
			return 0;
		table->entries = entries;
		table->entry_capacity = capacity;
	}
	return table->count < UINT32_MAX;
}

static int is_equal(const intern_table *table, size_t index, const void *bytes, size_t size)
{
	const intern_entry *entry = &table->entries[index];

	return entry->size == size && (size == 0 || memcmp(table->bytes + entry->offset, bytes, size) == 0);
}

int intern_add(intern_table *table, const void *bytes, size_t size, uint32_t *index)
{
	uint64_t hash = hash_bytes(bytes, size);
	index_entry *slot;

	table->indexes.value_size = sizeof(*slot) - sizeof(slot->hash);
	/* Different entries with the same hash have consecutive keys. */
	while ((slot = key_map_find(&table->indexes, hash)) != NULL) {
		if (is_equal(table, (size_t)slot->index, bytes, size)) {
			*index = (uint32_t)slot->index;
			return 0;
		}
		hash++;
	}
	if (!reserve(table, size) || (slot = key_map_put(&table->indexes, hash)) == NULL)
		return -1;
	slot->index = table->count;
	table->entries[table->count].offset = table->used;
	table->entries[table->count].size = size;
	if (size > 0)
		memcpy(table->bytes + table->used, bytes, size);
	table->used += size;
	*index = (uint32_t)table->count++;
	return 1;
}

void intern_release(intern_table *table)
{
	free(table->bytes);
	free(table->entries);
	key_map_clear(&table->indexes);
	memset(table, 0, sizeof(*table));
}
