/* SPDX-License-Identifier: MIT */
/**
 * \file base/id_map.h
 * \brief A map from 32-bit IDs (not 0) to 32-bit numbers, 0 where there is none. Memory follows what was put, whatever
 * the IDs.
 */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include "base/hash_map.h"

/**
 * IDs that are dense enough index an array, which has at most this number of elements for each entry, plus
 * #ID_MAP_FREE_PLACES; the others are hashed.
 */
#define ID_MAP_PLACES_FOR_EACH 8
#define ID_MAP_FREE_PLACES 512

typedef struct id_map {
	uint32_t *dense;
	size_t dense_count; /**< Places of the array. */
	size_t put_count;   /**< Numbers put, in the array or hashed. */
	hash_map sparse;    /**< What was put before the array reached so far stays here. */
} id_map;

void id_map_init(id_map *map, const mprof_allocator *allocator);
void id_map_destroy(id_map *map);

/**
 * Sets the number of an ID; 0 takes it away. Returns 0, changing nothing, if there is no memory; where there was a
 * number none is needed.
 */
int id_map_put(id_map *map, uint32_t id, uint32_t number);

/** The slow half of id_map_get(). */
uint32_t id_map_get_sparse(const id_map *map, uint32_t id);

static inline uint32_t id_map_get(const id_map *map, uint32_t id)
{
	uint32_t number = id < map->dense_count ? map->dense[id] : 0;

	return number != 0 || map->sparse.index.count == 0 ? number : id_map_get_sparse(map, id);
}

#endif
