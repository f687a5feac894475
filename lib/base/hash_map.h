/* SPDX-License-Identifier: MIT */
/**
 * \file base/hash_map.h
 * \brief A map from 64-bit keys to 64-bit values, open addressing.
 */
#ifndef BASE_HASH_MAP_H
#define BASE_HASH_MAP_H

#include "base/allocator.h"
#include "base/hash.h"

typedef struct hash_map_entry {
	uint64_t key; /**< 0 marks an empty place; key 0 itself lives in hash_map::zero. */
	uint64_t value;
} hash_map_entry;

typedef struct hash_map {
	mprof_allocator allocator;
	hash_map_entry *entries;
	size_t capacity; /**< A power of two, or 0. */
	size_t count;    /**< Without key 0. */
	uint64_t seed;   /**< hash_seed(). */
	uint64_t zero;   /**< Value of key 0. */
	int has_zero;
	uint32_t shift; /**< 64 - log2(capacity). */
} hash_map;

void hash_map_init(hash_map *map, const mprof_allocator *allocator);
void hash_map_destroy(hash_map *map);

/** The place of a key's value, or NULL. Valid until the next hash_map_put(). */
static inline uint64_t *hash_map_get(const hash_map *map, uint64_t key)
{
	if (key == 0)
		return map->has_zero ? (uint64_t *)&map->zero : NULL;
	if (map->capacity == 0)
		return NULL;
	for (size_t i = hash_place(map->seed, key, map->shift);; i = (i + 1) & (map->capacity - 1)) {
		hash_map_entry *entry = &map->entries[i];

		if (entry->key == key)
			return &entry->value;
		if (entry->key == 0)
			return NULL;
	}
}

/** Sets a key's value. Returns 0, changing nothing, if there is no memory. */
int hash_map_put(hash_map *map, uint64_t key, uint64_t value);

/** Takes a key away, if it is there. Places of other values change. */
void hash_map_remove(hash_map *map, uint64_t key);

#endif
