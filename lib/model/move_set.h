/* SPDX-License-Identifier: MIT */
/**
 * \file model/move_set.h
 * \brief The objects that a collection moves. They are applied as one set: an address that one object leaves can be
 * taken by another, in any order.
 */
#ifndef MODEL_MOVE_SET_H
#define MODEL_MOVE_SET_H

#include "model/live_objects.h"

#include "base/hash_map.h"

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
 * Finds the object of the set that moved to an address; *\p found is NULL if there is none, and valid until the set
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
