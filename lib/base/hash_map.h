/* SPDX-License-Identifier: MIT */
/**
 * \file base/hash_map.h
 * \brief A map from 64-bit keys to 64-bit values.
 */
#ifndef BASE_HASH_MAP_H
#define BASE_HASH_MAP_H

#include "base/hash_index.h"

/** A slot of the index. */
typedef struct hash_map_entry {
	uint64_t key; /**< 0 marks an empty slot; the value of key 0 is in hash_map::zero. */
	uint64_t value;
} hash_map_entry;

typedef struct hash_map {
	hash_index index;
	uint64_t zero; /**< Value of key 0. */
	int has_zero;
} hash_map;

void hash_map_init(hash_map *map, const mprof_allocator *allocator);

/** Frees the memory and removes all keys; the map can be used again. */
void hash_map_destroy(hash_map *map);

static inline int hash_map_entry_is_used(const void *slot)
{
	return ((const hash_map_entry *)slot)->key != 0;
}

static inline uint64_t hash_map_entry_hash(const void *owner, const void *slot)
{
	return hash_key(((const hash_map *)owner)->index.seed, ((const hash_map_entry *)slot)->key);
}

static inline int hash_map_entry_matches(const void *owner, const void *slot, const void *key)
{
	(void)owner;
	return ((const hash_map_entry *)slot)->key == *(const uint64_t *)key;
}

static const hash_index_type hash_map_entries = {
	.size = sizeof(hash_map_entry),
	.first_capacity = 64,
	.used_eighths = 4,
	.is_used = hash_map_entry_is_used,
	.hash = hash_map_entry_hash,
};

/** The value of a key, or NULL. Valid until the next hash_map_put() or hash_map_remove(). */
static inline uint64_t *hash_map_get(const hash_map *map, uint64_t key)
{
	hash_map_entry *entry;

	if (key == 0)
		return map->has_zero ? (uint64_t *)&map->zero : NULL;
	entry = hash_index_find(&map->index, &hash_map_entries, hash_key(map->index.seed, key), hash_map_entry_matches,
				map, &key);
	return entry != NULL ? &entry->value : NULL;
}

/** Sets a key's value. Returns 0, changing nothing, if there is no memory. */
int hash_map_put(hash_map *map, uint64_t key, uint64_t value);

/** Removes a key, if the map has it. */
void hash_map_remove(hash_map *map, uint64_t key);

/**
 * Visits all keys but 0, in no particular order, so no result may depend on it: returns the next entry from slot
 * \p *slot on, which starts as 0, or NULL at the end.
 */
static inline const hash_map_entry *hash_map_next(const hash_map *map, size_t *slot)
{
	while (*slot < map->index.capacity) {
		const hash_map_entry *entry = hash_index_slot(&map->index, &hash_map_entries, (*slot)++);

		if (entry->key != 0)
			return entry;
	}
	return NULL;
}

#endif
