/* SPDX-License-Identifier: MIT */
/* Hands out event details from an array that is reused for each batch. */
#include "reader/detail_pool.h"

#include "base/array.h"

#include <string.h>

int detail_pool_prepare(detail_pool *pool, const mprof_allocator *allocator, size_t count)
{
	void *details = pool->details;
	int has_room = array_reserve(allocator, &details, &pool->capacity, count, sizeof(*pool->details));

	pool->details = details;
	pool->used = 0;
	return has_room;
}

mprof_event_detail *detail_pool_take(detail_pool *pool)
{
	mprof_event_detail *detail;

	if (pool->used == pool->capacity)
		return NULL;
	detail = &pool->details[pool->used++];
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	return detail;
}

void detail_pool_destroy(detail_pool *pool, const mprof_allocator *allocator)
{
	allocator_release(allocator, pool->details, pool->capacity * sizeof(*pool->details));
}
