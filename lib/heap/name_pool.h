/* SPDX-License-Identifier: MIT */
/**
 * \file heap/name_pool.h
 * \brief Names, each stored once and numbered from 0 in the order in which they were added.
 */
#ifndef HEAP_NAME_POOL_H
#define HEAP_NAME_POOL_H

#include "base/hash_index.h"

/** A name. Two of them are the same if both fields are equal. */
typedef struct pooled_name {
	char *text;
	uint64_t scope; /**< Where the name has its meaning; 0: everywhere. */
} pooled_name;

typedef struct name_pool {
	hash_index index; /**< Slots are positions of names + 1, as 32-bit numbers. */
	pooled_name *names;
	size_t count;
	size_t capacity;
} name_pool;

void name_pool_init(name_pool *pool, const mprof_allocator *allocator);
void name_pool_destroy(name_pool *pool);

/** Removes all names after the first \p count ones. */
void name_pool_truncate(name_pool *pool, size_t count);

/** Finds or adds a name, which is copied. Returns 0, changing nothing, if there is no memory. */
int name_pool_put(name_pool *pool, const char *text, uint64_t scope, uint32_t *number);

#endif
