/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/live_objects.h
 * \brief The objects that are alive, by address, and those that the collector is moving.
 */
#ifndef MODEL_RECORDS_LIVE_OBJECTS_H
#define MODEL_RECORDS_LIVE_OBJECTS_H

#include "base/hash_map.h"

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

typedef struct move_set {
	mprof_allocator allocator;
	live_object *objects; /**< With their new addresses; not in the table of live objects. */
	size_t count;
	size_t capacity;
	hash_map targets; /**< The index in objects of the latest object that moved to an address. */
	size_t indexed;   /**< Number of objects in targets; they are added when the first address is looked up. */
} move_set;

void move_set_init(move_set *set, const mprof_allocator *allocator);
void move_set_destroy(move_set *set);

/** Adds an object, which has its new address. Returns 0, changing nothing, if there is no memory. */
int move_set_add(move_set *set, const live_object *object);

/**
 * Finds the object of the set that moved to an address; *found is NULL if there is none, and valid until the set
 * changes. Returns 0 if there is no memory.
 */
int move_set_find(move_set *set, uint64_t address, live_object **found);

/** Moves an object that move_set_find() found to another address. */
void move_set_move_again(move_set *set, live_object *object, uint64_t to);

/** Removes the first \p count objects. */
void move_set_drop(move_set *set, size_t count);

/** Replaces the objects by \p count others, at most as many as the set ever had. */
void move_set_restore(move_set *set, const live_object *objects, size_t count);

#endif
