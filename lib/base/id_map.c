/* SPDX-License-Identifier: MIT */
#include "base/id_map.h"

#include "base/array.h"

#include <string.h>

void id_map_init(id_map *map, const mprof_allocator *allocator)
{
	memset(map, 0, sizeof(*map));
	hash_map_init(&map->sparse, allocator);
}

void id_map_destroy(id_map *map)
{
	allocator_release(&map->sparse.index.allocator, map->dense, map->dense_count * sizeof(*map->dense));
	hash_map_destroy(&map->sparse);
}

/* Grows the array to hold an ID, if it may have that many elements. Returns whether it does. */
static int dense_reaches(id_map *map, uint32_t id)
{
	size_t old_count = map->dense_count;
	void *dense = map->dense;

	if (id < old_count)
		return 1;
	/* Half of the places, since growing may double them. */
	if (id / (ID_MAP_PLACES_FOR_EACH / 2) >= map->put_count + ID_MAP_FREE_PLACES / ID_MAP_PLACES_FOR_EACH ||
	    !array_reserve(&map->sparse.index.allocator, &dense, &map->dense_count, (size_t)id + 1,
			   sizeof(*map->dense)))
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
	if (dense_reaches(map, id)) {
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
