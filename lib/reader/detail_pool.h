/* SPDX-License-Identifier: MIT */
/**
 * \file reader/detail_pool.h
 * \brief Details of events that the reader makes itself.
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

/** Makes room for \p count details and takes back all that were handed out. Returns 0 if there is no memory. */
int detail_pool_prepare(detail_pool *pool, const mprof_allocator *allocator, size_t count);

/** One more detail, which is all 0 but for its size; NULL if the pool is used up. */
mprof_event_detail *detail_pool_take(detail_pool *pool);

void detail_pool_destroy(detail_pool *pool, const mprof_allocator *allocator);

#endif
