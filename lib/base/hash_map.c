/* SPDX-License-Identifier: MIT */
/* Adds keys to a map and removes them. */
#include "base/hash_map.h"

void hash_map_init(hash_map *map, const mprof_allocator *allocator)
{
	hash_index_init(&map->index, allocator);
	map->zero = 0;
	map->has_zero = 0;
}

void hash_map_destroy(hash_map *map)
{
	hash_index_destroy(&map->index, &hash_map_entries);
	map->has_zero = 0;
}

int hash_map_put(hash_map *map, uint64_t key, uint64_t value)
{
	uint64_t *known = hash_map_get(map, key);
	hash_map_entry *entry;

	if (known != NULL) {
		*known = value;
		return 1;
	}
	if (key == 0) {
		map->zero = value;
		map->has_zero = 1;
		return 1;
	}
	if (!hash_index_reserve(&map->index, &hash_map_entries, map))
		return 0;
	entry = hash_index_take_slot(&map->index, &hash_map_entries, hash_key(map->index.seed, key));
	entry->key = key;
	entry->value = value;
	return 1;
}

void hash_map_remove(hash_map *map, uint64_t key)
{
	hash_map_entry *entry;

	if (key == 0) {
		map->has_zero = 0;
		return;
	}
	entry = hash_index_find(&map->index, &hash_map_entries, hash_key(map->index.seed, key), hash_map_entry_matches,
				map, &key);
	if (entry != NULL)
		hash_index_remove(&map->index, &hash_map_entries, map, entry);
}
