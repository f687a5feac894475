/* SPDX-License-Identifier: MIT */
#include "base/hash_map.h"

#include "base/checked.h"

#include <string.h>

void hash_map_init(hash_map *map, const mprof_allocator *allocator)
{
	memset(map, 0, sizeof(*map));
	map->allocator = *allocator;
	map->seed = hash_seed();
}

void hash_map_destroy(hash_map *map)
{
	allocator_release(&map->allocator, map->entries, map->capacity * sizeof(*map->entries));
	map->entries = NULL;
	map->capacity = 0;
	map->count = 0;
	map->has_zero = 0;
}

/* The key is not 0, not there yet, and there is an empty place. */
static void insert_new(hash_map *map, uint64_t key, uint64_t value)
{
	size_t i = hash_place(map->seed, key, map->shift);

	while (map->entries[i].key != 0)
		i = (i + 1) & (map->capacity - 1);
	map->entries[i].key = key;
	map->entries[i].value = value;
}

static int grow(hash_map *map)
{
	const hash_map old = *map;
	size_t capacity = old.capacity == 0 ? 64 : old.capacity * 2;
	hash_map_entry *entries;
	size_t size;

	if (!checked_multiply(capacity, sizeof(*entries), &size))
		return 0;
	entries = allocator_allocate_zeroed(&map->allocator, size);
	if (entries == NULL)
		return 0;
	map->entries = entries;
	map->capacity = capacity;
	map->shift = old.capacity == 0 ? 58 : old.shift - 1;
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.entries[i].key != 0)
			insert_new(map, old.entries[i].key, old.entries[i].value);
	}
	allocator_release(&map->allocator, old.entries, old.capacity * sizeof(*old.entries));
	return 1;
}

int hash_map_put(hash_map *map, uint64_t key, uint64_t value)
{
	uint64_t *place = hash_map_get(map, key);

	if (place != NULL) {
		*place = value;
		return 1;
	}
	if (key == 0) {
		map->zero = value;
		map->has_zero = 1;
		return 1;
	}
	/* At most half full, so that probing stays short. */
	if (map->count >= map->capacity / 2 && !grow(map))
		return 0;
	insert_new(map, key, value);
	map->count++;
	return 1;
}
