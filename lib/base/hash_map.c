/* SPDX-License-Identifier: MIT */
/* Hash tables. */
#include "base/hash_map.h"

#include "base/allocator.h"

#include <stdatomic.h>
#include <time.h>

#ifdef _WIN32
/* For rand_s(), the system's random numbers. */
#define _CRT_RAND_S
#endif

#ifdef _WIN32
#include <stdlib.h>
#endif

#ifdef HAVE_GETENTROPY
#ifdef HAVE_SYS_RANDOM_H
#include <sys/random.h>
#endif
#include <unistd.h>
#endif

/* Gets random numbers from the system. Returns 0 if it has none or refuses them. */
static int draw_random(uint64_t *number)
{
#if defined(_WIN32)
	unsigned halves[2];

	if (rand_s(&halves[0]) != 0 || rand_s(&halves[1]) != 0)
		return 0;
	*number = (uint64_t)halves[0] << 32 | halves[1];
	return 1;
#elif defined(HAVE_GETENTROPY)
	return getentropy(number, sizeof(*number)) == 0;
#else
	(void)number;
	return 0;
#endif
}

/* Without random numbers, uses the time and the addresses of the stack and the library. */
static uint64_t draw_seed(void)
{
	static const char in_library;
	struct timespec now = {0};
	uint64_t seed = 0;

	if (draw_random(&seed) && seed != 0)
		return seed;
#ifdef _WIN32
	now.tv_sec = time(NULL);
#else
	clock_gettime(CLOCK_REALTIME, &now);
#endif
	seed = hash_mix((uintptr_t)&now, (uintptr_t)&in_library);
	return hash_mix(hash_mix(seed, (uint64_t)now.tv_sec), (uint64_t)now.tv_nsec) | 1;
}

/*
 * Keys of a log are mixed with a random seed, so that its author cannot choose keys that collide: each search would
 * then visit the whole table. No result may depend on the seed. Tables use the high bits of these hashes.
 */

uint64_t hash_seed(void)
{
	static _Atomic uint64_t seed;
	uint64_t known = atomic_load_explicit(&seed, memory_order_relaxed);
	uint64_t drawn;

	if (known != 0)
		return known;
	drawn = draw_seed();
	/*
	 * If several threads generate a seed at once, the first one stored is used. Relaxed: there is nothing but the
	 * number to publish.
	 */
	if (atomic_compare_exchange_strong_explicit(&seed, &known, drawn, memory_order_relaxed, memory_order_relaxed))
		return drawn;
	return known;
}

void hash_index_init(hash_index *index, const mprof_allocator *allocator)
{
	memset(index, 0, sizeof(*index));
	index->allocator = *allocator;
	index->seed = hash_seed();
}

void hash_index_destroy(hash_index *index, const hash_index_type *type)
{
	allocator_release(&index->allocator, index->slots, index->capacity * type->size);
	index->slots = NULL;
	index->capacity = 0;
	index->count = 0;
}

int hash_index_resize(hash_index *index, const hash_index_type *type, const void *owner, size_t capacity)
{
	const hash_index old = *index;
	size_t size;
	void *slots;

	if ((type->grows_by_half && capacity > UINT32_MAX) || !checked_multiply(capacity, type->size, &size))
		return 0;
	slots = allocator_allocate(&index->allocator, size);
	if (slots == NULL)
		return 0;
	memset(slots, type->empty_byte, size);
	index->slots = slots;
	index->capacity = capacity;
	index->count = 0;
	if (!type->grows_by_half)
		index->shift = 64 - (uint32_t)__builtin_ctzll(capacity);
	for (size_t i = 0; i < old.capacity; i++) {
		const void *slot = hash_index_slot(&old, type, i);

		if (type->is_used(slot))
			memcpy(hash_index_take_slot(index, type, type->hash(owner, slot)), slot, type->size);
	}
	allocator_release(&index->allocator, old.slots, old.capacity * type->size);
	return 1;
}

int hash_index_grow(hash_index *index, const hash_index_type *type, const void *owner)
{
	size_t capacity = index->capacity;

	if (capacity == 0)
		return hash_index_resize(index, type, owner, type->first_capacity);
	if (capacity > (type->grows_by_half ? SIZE_MAX / 3 * 2 : SIZE_MAX / 2))
		return 0;
	return hash_index_resize(index, type, owner, type->grows_by_half ? capacity + capacity / 2 : capacity * 2);
}

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
