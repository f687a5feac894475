/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/object_tracker.h
 * \brief The objects that are alive as far as is known, by address. Used by the writer thread alone.
 *
 * Objects come from allocations and heap snapshots. Moves of one collection are applied as a set, since an address may
 * be left by one object and taken by another in it. An address that is given to another object, and an object that a
 * snapshot does not give, mean a death, for which the caller's function is called.
 *
 * An object costs 21 to 32 bytes of memory, and 21 more while the table grows.
 */
#ifndef RECORDER_OBJECT_TRACKER_H
#define RECORDER_OBJECT_TRACKER_H

#include "base/hash_index.h"

/** What is reported of an object. */
typedef struct tracked_object {
	uint64_t address;
	uint64_t size;
	uint32_t class_id;
} tracked_object;

/** An object was found dead. The function must not call the tracker. */
typedef void (*object_death_function)(void *user, const tracked_object *object);

/** A slot of the table. */
typedef struct object_entry {
	uint64_t address; /**< 0: empty. */
	uint32_t class_id;
	uint32_t size_code; /**< The size or, for large ones, where it stands; and what is known of the object. */
} object_entry;

/** An object of a heap snapshot that waits until its place in the table is in the cache. */
#define OBJECT_TRACKER_WAITING 32

typedef struct object_tracker {
	mprof_allocator allocator;
	object_death_function died; /**< To be set, with user, before objects are reported. */
	void *user;
	hash_index entries;   /**< #object_entry. */
	object_entry *moving; /**< The open set of moves: not in the table, and with the new address. */
	size_t moving_count;
	size_t moving_capacity;
	uint64_t *large_sizes; /**< Of the objects whose size does not fit, or the next free place. */
	size_t large_count;
	size_t large_capacity;
	size_t large_free; /**< First free place + 1, 0 if there is none. */
	tracked_object waiting[OBJECT_TRACKER_WAITING];
	uint32_t waiting_count;
} object_tracker;

/** Takes no memory yet. */
void object_tracker_init(object_tracker *tracker, const mprof_allocator *allocator);
void object_tracker_destroy(object_tracker *tracker);

/* Those that follow return 0 if there is no memory: the tracker is then not to be used any more. */

/** An object was allocated: what was there before is dead. */
int object_tracker_allocated(object_tracker *tracker, const tracked_object *object);

/** An object was moved; one of a set that any other call ends. */
int object_tracker_moved(object_tracker *tracker, uint64_t from, uint64_t to);

/** Ends a set of moves. */
int object_tracker_end_moves(object_tracker *tracker);

/** A heap snapshot gives an object as alive. The size of one that is known stays what it was. */
int object_tracker_alive(object_tracker *tracker, const tracked_object *object);

/** The object at an address is dead; the caller reports that itself. */
int object_tracker_freed(object_tracker *tracker, uint64_t address);

/** A heap snapshot ends: what it did not give is dead, if it is complete. */
int object_tracker_end_shot(object_tracker *tracker, int is_complete);

/** Forgets all objects, which are not dead by that, and gives back the memory. Returns how many there were. */
uint64_t object_tracker_forget(object_tracker *tracker);

/** Objects that are known. */
uint64_t object_tracker_count(const object_tracker *tracker);

/** Fetches an address's place in the table into the cache. */
void object_tracker_prefetch(const object_tracker *tracker, uint64_t address);

#endif
