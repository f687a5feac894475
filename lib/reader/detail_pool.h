/* SPDX-License-Identifier: MIT */
/**
 * \file reader/detail_pool.h
 * \brief Event details that the reader allocates itself.
 */
#ifndef READER_DETAIL_POOL_H
#define READER_DETAIL_POOL_H

#include <mprof/format.h>

#include "base/allocator.h"

typedef struct detail_pool {
	mprof_event_detail *details;
	size_t capacity;
	size_t used;
} detail_pool;

/**
 * Reclaims all details handed out, which become invalid, and makes room for \p count of them. Returns 0 if out of
 * memory.
 */
int detail_pool_prepare(detail_pool *pool, const mprof_allocator *allocator, size_t count);

/** Takes a detail from the pool, with all fields but its size 0. Returns NULL if the pool is used up. */
mprof_event_detail *detail_pool_take(detail_pool *pool);

void detail_pool_destroy(detail_pool *pool, const mprof_allocator *allocator);

#endif
