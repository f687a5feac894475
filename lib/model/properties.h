/* SPDX-License-Identifier: MIT */
/**
 * \file model/properties.h
 * \brief Properties of SESSION blocks. A later value of a key replaces an earlier one.
 */
#ifndef MODEL_PROPERTIES_H
#define MODEL_PROPERTIES_H

#include "base/hash_map.h"

typedef struct property {
	char *key;
	char *value;
} property;

typedef struct property_list {
	hash_map numbers; /**< Indices by a hash of the key. */
	property *items;
	size_t count;
	size_t capacity;
} property_list;

void properties_init(property_list *all, const mprof_allocator *allocator);
void properties_destroy(property_list *all);

/** Returns 0, changing nothing, if there is no memory. */
int properties_set(property_list *all, const char *key, const char *value);

#endif
