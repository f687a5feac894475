/* SPDX-License-Identifier: MIT */
/**
 * \file base/thread_map.h
 * \brief The threads of a log: a map from thread IDs to positions in an array of the owner.
 *
 * Thread IDs are arbitrary 64-bit numbers, often addresses, so they are hashed. Consecutive blocks often belong to the
 * same thread, which the map finds without a search.
 */
#ifndef BASE_THREAD_MAP_H
#define BASE_THREAD_MAP_H

#include "base/hash_map.h"

#define THREAD_MAP_NONE SIZE_MAX

typedef struct thread_map {
	hash_map positions;
	uint64_t latest;        /**< The thread that was added, or found by thread_map_find(), last. */
	size_t latest_position; /**< Its position; #THREAD_MAP_NONE if none. */
} thread_map;

void thread_map_init(thread_map *map, const mprof_allocator *allocator);

/** Frees the memory and removes all threads; the map can be used again. The array remains the owner's. */
void thread_map_destroy(thread_map *map);

static inline const mprof_allocator *thread_map_allocator(const thread_map *map)
{
	return &map->positions.index.allocator;
}

/** The position of a thread, or #THREAD_MAP_NONE. Leaves the map unchanged. */
static inline size_t thread_map_get(const thread_map *map, uint64_t thread)
{
	const uint64_t *position;

	if (thread == map->latest && map->latest_position != THREAD_MAP_NONE)
		return map->latest_position;
	position = hash_map_get(&map->positions, thread);
	return position != NULL ? (size_t)*position : THREAD_MAP_NONE;
}

/** The position of a thread, which becomes the latest one, or #THREAD_MAP_NONE. */
static inline size_t thread_map_find(thread_map *map, uint64_t thread)
{
	size_t position = thread_map_get(map, thread);

	if (position != THREAD_MAP_NONE) {
		map->latest = thread;
		map->latest_position = position;
	}
	return position;
}

/**
 * Adds a thread that the map does not have, with a new element at position \p count, the number of elements. The caller
 * then increments that number. The element's bytes are 0. The array must be allocated from the map's allocator. Returns
 * 0 if there is no memory; no thread is added then, but the array may have been moved and its capacity may have grown.
 */
int thread_map_add(thread_map *map, uint64_t thread, void **elements, size_t *capacity, size_t count,
		   size_t element_size);

#endif
