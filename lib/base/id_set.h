/* SPDX-License-Identifier: MIT */
/**
 * \file base/id_set.h
 * \brief A set of 32-bit IDs without removal: an id_map in which each number contains the bits of 32 IDs.
 */
#ifndef BASE_ID_SET_H
#define BASE_ID_SET_H

#include "base/id_map.h"

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
