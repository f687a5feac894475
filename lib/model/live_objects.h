/* SPDX-License-Identifier: MIT */
/**
 * \file model/live_objects.h
 * \brief The objects of the managed heap that are alive, by address.
 */
#ifndef MODEL_LIVE_OBJECTS_H
#define MODEL_LIVE_OBJECTS_H

#include "base/hash_index.h"

typedef struct live_object {
	uint64_t address; /**< 0 marks an empty slot of the table. */
	uint64_t size;
	uint32_t site;
	uint32_t epoch;    /**< Number of collections that had begun when it was allocated. */
	uint64_t identity; /**< Number of its allocation, from 1. */
} live_object;

typedef struct live_objects {
	hash_index index;
} live_objects;

void live_objects_init(live_objects *objects, const mprof_allocator *allocator);
void live_objects_destroy(live_objects *objects);

/** The object at an address, or NULL. Valid until an object is added or removed. */
live_object *live_objects_find(const live_objects *objects, uint64_t address);

/** Makes room for one more object. Returns 0, changing nothing, if there is no memory. */
int live_objects_reserve(live_objects *objects);

/** Adds an object at an address that has none, after live_objects_reserve(). */
void live_objects_add(live_objects *objects, const live_object *object);

/** Removes an object that live_objects_find() returned. */
void live_objects_remove(live_objects *objects, live_object *object);

#endif
