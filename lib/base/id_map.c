/* SPDX-License-Identifier: MIT */
/* Maps and sets of IDs. */
#include "base/id_map.h"

#include "base/allocator.h"

#include <string.h>

#define ID_MAP_SLOTS_PER_NUMBER 8
#define ID_MAP_FREE_SLOTS 512

void id_map_init(id_map *map, const mprof_allocator *allocator)
{
	memset(map, 0, sizeof(*map));
	hash_map_init(&map->sparse, allocator);
}

void id_map_destroy(id_map *map)
{
	allocator_release(id_map_allocator(map), map->dense, map->dense_count * sizeof(*map->dense));
	map->dense = NULL;
	map->dense_count = 0;
	map->put_count = 0;
	hash_map_destroy(&map->sparse);
}

void id_map_clear(id_map *map)
{
	if (map->dense_count > 0)
		memset(map->dense, 0, map->dense_count * sizeof(*map->dense));
	map->put_count = 0;
	hash_map_destroy(&map->sparse);
}

/* Whether the array may grow to an ID. Only half of the permitted elements count, since growing may double them. */
static int is_dense(const id_map *map, uint32_t id)
{
	return id < map->dense_count ||
	       id / (ID_MAP_SLOTS_PER_NUMBER / 2) < map->put_count + ID_MAP_FREE_SLOTS / ID_MAP_SLOTS_PER_NUMBER;
}

/* Grows the array to hold an ID. */
static int reserve_dense(id_map *map, uint32_t id)
{
	size_t old_count = map->dense_count;
	void *dense = map->dense;

	if (!array_reserve(id_map_allocator(map), &dense, &map->dense_count, (size_t)id + 1, sizeof(*map->dense)))
		return 0;
	map->dense = dense;
	memset(map->dense + old_count, 0, (map->dense_count - old_count) * sizeof(*map->dense));
	return 1;
}

int id_map_put(id_map *map, uint32_t id, uint32_t number)
{
	uint64_t *hashed = hash_map_get(&map->sparse, id);

	if (hashed != NULL) {
		*hashed = number;
		return 1;
	}
	/* If the array cannot grow, the ID is not hashed instead: its place must not depend on the memory limit. */
	if (is_dense(map, id)) {
		if (!reserve_dense(map, id))
			return 0;
		map->put_count += map->dense[id] == 0 && number != 0;
		map->dense[id] = number;
		return 1;
	}
	if (!hash_map_put(&map->sparse, id, number))
		return 0;
	map->put_count++;
	return 1;
}

uint32_t id_map_get_sparse(const id_map *map, uint32_t id)
{
	const uint64_t *number = hash_map_get(&map->sparse, id);

	return number != NULL ? (uint32_t)*number : 0;
}
