/* SPDX-License-Identifier: MIT */
/* Adds threads to a map, each with an element in the owner's array. */
#include "base/thread_map.h"

#include "base/checked.h"

void thread_map_init(thread_map *map, const mprof_allocator *allocator)
{
	hash_map_init(&map->positions, allocator);
	map->latest = 0;
	map->latest_position = THREAD_MAP_NONE;
}

void thread_map_destroy(thread_map *map)
{
	hash_map_destroy(&map->positions);
	map->latest_position = THREAD_MAP_NONE;
}

int thread_map_add(thread_map *map, uint64_t thread, void **elements, size_t *capacity, size_t count,
		   size_t element_size)
{
	if (!array_reserve(thread_map_allocator(map), elements, capacity, count + 1, element_size) ||
	    !hash_map_put(&map->positions, thread, count))
		return 0;
	memset((char *)*elements + count * element_size, 0, element_size);
	map->latest = thread;
	map->latest_position = count;
	return 1;
}
