/* SPDX-License-Identifier: MIT */
/**
 * \file model/facts.h
 * \brief Properties of SESSION blocks. A later value of a key replaces an earlier one.
 */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include "base/hash_map.h"

typedef struct fact {
	char *key;
	char *value;
} fact;

typedef struct fact_list {
	hash_map numbers; /**< Indices by a hash of the key. */
	fact *items;
	size_t count;
	size_t capacity;
} fact_list;

void facts_init(fact_list *all, const mprof_allocator *allocator);
void facts_destroy(fact_list *all);

/** Returns 0, changing nothing, if there is no memory. */
int facts_set(fact_list *all, const char *key, const char *value);

#endif
