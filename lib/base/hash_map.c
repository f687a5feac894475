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

/* Whether an entry at a place that is looked for from home on would still be found at an earlier place. */
static int may_move(size_t home, size_t earlier, size_t place)
{
	return earlier <= place ? home <= earlier || home > place : home <= earlier && home > place;
}

void hash_map_remove(hash_map *map, uint64_t key)
{
	const uint64_t *value = hash_map_get(map, key);
	const size_t mask = map->capacity - 1;
	size_t empty;

	if (key == 0)
		map->has_zero = 0;
	if (key == 0 || value == NULL)
		return;
	empty = hash_place(map->seed, key, map->shift);
	while (map->entries[empty].key != key)
		empty = (empty + 1) & mask;
	/* Entries after it that were put off by others move up, so that looking for them finds no gap. */
	for (size_t place = (empty + 1) & mask; map->entries[place].key != 0; place = (place + 1) & mask) {
		if (may_move(hash_place(map->seed, map->entries[place].key, map->shift), empty, place)) {
			map->entries[empty] = map->entries[place];
			empty = place;
		}
	}
	map->entries[empty].key = 0;
	map->count--;
}
