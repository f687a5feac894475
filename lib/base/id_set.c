/* SPDX-License-Identifier: MIT */
#include "base/id_set.h"

#include "base/array.h"

#include <string.h>

void id_set_init(id_set *set, const mprof_allocator *allocator)
{
	memset(set, 0, sizeof(*set));
	hash_map_init(&set->sparse, allocator);
}

void id_set_destroy(id_set *set)
{
	allocator_release(&set->sparse.index.allocator, set->words, set->capacity * sizeof(*set->words));
	hash_map_destroy(&set->sparse);
}

int id_set_add(id_set *set, uint32_t id)
{
	if (id >= ID_SET_DENSE_LIMIT)
		return hash_map_put(&set->sparse, id, 1);
	if (id >= set->dense_count) {
		size_t old_capacity = set->capacity;
		void *words = set->words;

		if (!array_reserve(&set->sparse.index.allocator, &words, &set->capacity, id / 64 + 1,
				   sizeof(*set->words)))
			return 0;
		set->words = words;
		memset(set->words + old_capacity, 0, (set->capacity - old_capacity) * sizeof(*set->words));
		/* Doubling from 8 words ends exactly at the limit. */
		set->dense_count = (uint32_t)(set->capacity * 64);
	}
	set->words[id / 64] |= UINT64_C(1) << id % 64;
	return 1;
}
