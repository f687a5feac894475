/* SPDX-License-Identifier: MIT */
/**
 * \file base/id_map.h
 * \brief A map from 32-bit IDs to 32-bit numbers; 0 means that an ID has no number. A map to positions stores
 * positions + 1.
 *
 * IDs are usually dense from 1 on, but a log may have any. So there is an array for the lowest IDs, and a hash map for
 * the others. Memory is proportional to the count of numbers, whatever the IDs are: the array grows to an ID only if it
 * then has at most #ID_MAP_SLOTS_PER_NUMBER elements for each number in the map, plus #ID_MAP_FREE_SLOTS. ID 0 is
 * always in the array.
 */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include "base/hash_map.h"

typedef struct id_map {
	uint32_t *dense; /**< Numbers by ID. */
	size_t dense_count;
	size_t put_count; /**< Numbers that were put, in the array or in sparse. */
	hash_map sparse;  /**< Other numbers by ID, also for IDs that were put before the array grew over them. */
} id_map;

void id_map_init(id_map *map, const mprof_allocator *allocator);
void id_map_destroy(id_map *map);

/** Removes all numbers; the array is kept. */
void id_map_clear(id_map *map);

static inline const mprof_allocator *id_map_allocator(const id_map *map)
{
	return &map->sparse.index.allocator;
}

/**
 * Sets the number of an ID; 0 removes it. Returns 0, changing nothing, if there is no memory; an ID that has a number
 * needs none.
 */
int id_map_put(id_map *map, uint32_t id, uint32_t number);

/** The slow path of id_map_get(). */
uint32_t id_map_get_sparse(const id_map *map, uint32_t id);

static inline uint32_t id_map_get(const id_map *map, uint32_t id)
{
	uint32_t number = id < map->dense_count ? map->dense[id] : 0;

	return number != 0 || map->sparse.index.count == 0 ? number : id_map_get_sparse(map, id);
}

typedef struct id_set {
	id_map words; /**< By ID / 32. */
} id_set;

static inline void id_set_init(id_set *set, const mprof_allocator *allocator)
{
	id_map_init(&set->words, allocator);
}

static inline void id_set_destroy(id_set *set)
{
	id_map_destroy(&set->words);
}

static inline int id_set_has(const id_set *set, uint32_t id)
{
	return (int)(id_map_get(&set->words, id / 32) >> id % 32 & 1);
}

/** Returns 0, changing nothing, if there is no memory. */
static inline int id_set_add(id_set *set, uint32_t id)
{
	return id_map_put(&set->words, id / 32, id_map_get(&set->words, id / 32) | UINT32_C(1) << id % 32);
}

#endif
