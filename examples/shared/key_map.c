/* SPDX-License-Identifier: MIT */
/* A hash table with open addressing and linear probing, without gaps in its probe runs. */
#include "shared/key_map.h"

#include "shared/hash.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256

static size_t entry_size(const key_map *map)
{
	return sizeof(uint64_t) + map->value_size;
}

static void *entry_at(const key_map *map, size_t slot)
{
	return map->slots + slot * entry_size(map);
}

static uint64_t key_at(const key_map *map, size_t slot)
{
	return *(const uint64_t *)entry_at(map, slot);
}

/*
 * The slot at which the search for a key starts. The hash depends on the address of the slots. An author of a log
 * cannot predict it, and so cannot choose keys that all start at one slot, which would make each search as long as the
 * map.
 */
static size_t home_of(const key_map *map, uint64_t key)
{
	uint64_t hash = (key ^ (uintptr_t)map->slots) * HASH_FACTOR;

	return (size_t)((hash ^ hash >> 32) * HASH_FACTOR >> 16) & (map->capacity - 1);
}

/* The slot of a key, or the empty slot where it would be inserted. The table is never full. */
static size_t slot_of(const key_map *map, uint64_t key)
{
	size_t slot;

	if (key == 0)
		return map->capacity;
	slot = home_of(map, key);
	while (key_at(map, slot) != 0 && key_at(map, slot) != key)
		slot = (slot + 1) & (map->capacity - 1);
	return slot;
}

void *key_map_slot(const key_map *map, size_t slot)
{
	if (map->capacity == 0 || (slot == map->capacity ? !map->has_zero : key_at(map, slot) == 0))
		return NULL;
	return entry_at(map, slot);
}

void *key_map_find(const key_map *map, uint64_t key)
{
	return map->capacity > 0 ? key_map_slot(map, slot_of(map, key)) : NULL;
}

static int grow(key_map *map)
{
	key_map larger = *map;

	larger.capacity = map->capacity > 0 ? map->capacity * 2 : FIRST_CAPACITY;
	larger.slots = calloc(larger.capacity + 1, entry_size(map));
	if (larger.slots == NULL)
		return 0;
	for (size_t i = 0; map->capacity > 0 && i <= map->capacity; i++)
		if (key_map_slot(map, i) != NULL)
			memcpy(entry_at(&larger, slot_of(&larger, key_at(map, i))), entry_at(map, i), entry_size(map));
	free(map->slots);
	*map = larger;
	return 1;
}

void *key_map_put(key_map *map, uint64_t key)
{
	void *entry = key_map_find(map, key);

	if (entry != NULL)
		return entry;
	/* At most half full, so that probes stay short. */
	if (map->count * 2 >= map->capacity && !grow(map))
		return NULL;
	entry = entry_at(map, slot_of(map, key));
	*(uint64_t *)entry = key;
	map->has_zero |= key == 0;
	map->count++;
	return entry;
}

int key_map_add(key_map *map, uint64_t key)
{
	size_t count = map->count;

	return key_map_put(map, key) != NULL ? map->count > count : -1;
}

/* Empties a slot. Later entries of the probe run that were displaced move up. */
static void clear_slot(key_map *map, size_t slot)
{
	size_t mask = map->capacity - 1;

	for (size_t next = (slot + 1) & mask; key_at(map, next) != 0; next = (next + 1) & mask) {
		size_t home = home_of(map, key_at(map, next));

		/* The search for this entry starts after the gap, so it stays. */
		if (((next - home) & mask) < ((next - slot) & mask))
			continue;
		memcpy(entry_at(map, slot), entry_at(map, next), entry_size(map));
		slot = next;
	}
	memset(entry_at(map, slot), 0, entry_size(map));
}

void key_map_remove(key_map *map, uint64_t key)
{
	void *entry = key_map_find(map, key);

	if (entry == NULL)
		return;
	map->count--;
	if (key != 0) {
		clear_slot(map, slot_of(map, key));
		return;
	}
	memset(entry, 0, entry_size(map));
	map->has_zero = 0;
}

void key_map_clear(key_map *map)
{
	free(map->slots);
	*map = (key_map){.value_size = map->value_size};
}
