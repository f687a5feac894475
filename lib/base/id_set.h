/* SPDX-License-Identifier: MIT */
/**
 * \file base/id_set.h
 * \brief A set of 32-bit IDs that grows only. Asking is one load for IDs below #ID_SET_DENSE_LIMIT.
 */
#ifndef BASE_ID_SET_H
#define BASE_ID_SET_H

#include "base/hash_map.h"

/** IDs below it have a bit each, 1 MiB at most; those from here on are hashed. A multiple of 64. */
#define ID_SET_DENSE_LIMIT (UINT32_C(1) << 23)

typedef struct id_set {
	uint64_t *words;
	size_t capacity;      /**< Of words. */
	uint32_t dense_count; /**< IDs that have a bit. */
	hash_map sparse;
} id_set;

void id_set_init(id_set *set, const mprof_allocator *allocator);
void id_set_destroy(id_set *set);

/** Returns 0, changing nothing, if there is no memory. */
int id_set_add(id_set *set, uint32_t id);

static inline int id_set_has(const id_set *set, uint32_t id)
{
	if (__builtin_expect(id < set->dense_count, 1))
		return (int)(set->words[id / 64] >> id % 64 & 1);
	return hash_map_get(&set->sparse, id) != NULL;
}

#endif
