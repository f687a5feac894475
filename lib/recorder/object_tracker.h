/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/object_tracker.h
 * \brief The objects that are known to be alive, by address. Owner: the writer thread.
 *
 * Objects come from allocations and heap snapshots. Moves of one collection are applied as a set, since one object may
 * leave an address and another may take it. If an address is reused, or a complete snapshot does not contain an object,
 * the object is dead, and the caller's function is called.
 *
 * An object costs 21 to 32 bytes of memory, and 21 more while the table grows.
 */
#ifndef RECORDER_OBJECT_TRACKER_H
#define RECORDER_OBJECT_TRACKER_H

#include "base/hash_index.h"

/** A dead object, as it is reported. */
typedef struct tracked_object {
	uint64_t address;
	uint64_t size;
	uint32_t class_id;
} tracked_object;

/** Called for each object that was found dead. The function must not call the tracker. */
typedef void (*object_death_function)(void *user, const tracked_object *object);

/** An entry of the table. */
typedef struct object_entry {
	uint64_t address; /**< 0: empty. */
	uint32_t class_id;
	uint32_t size_code; /**< The size or, for large ones, its index in large_sizes; and CODE_ flags. */
} object_entry;

/** An object of a heap snapshot that waits until its slot of the table is in the cache. */
#define OBJECT_TRACKER_WAITING 32

typedef struct object_tracker {
	mprof_allocator allocator;
	object_death_function died; /**< Set by the owner, with user, before objects are reported. */
	void *user;
	hash_index entries;   /**< #object_entry. */
	object_entry *moving; /**< The open set of moves: entries with new addresses, not in the table. */
	size_t moving_count;
	size_t moving_capacity;
	uint64_t *large_sizes; /**< Sizes that do not fit an entry; in a free one, the next free index + 1. */
	size_t large_count;
	size_t large_capacity;
	size_t large_free; /**< First free index + 1, 0 if none. */
	tracked_object waiting[OBJECT_TRACKER_WAITING];
	uint32_t waiting_count;
} object_tracker;

/** Allocates no memory yet. */
void object_tracker_init(object_tracker *tracker, const mprof_allocator *allocator);
void object_tracker_destroy(object_tracker *tracker);

/* The following functions return 0 if there is no memory. After that the tracker must not be used any more. */

/** Adds an allocated object. An object that had the address is dead. */
int object_tracker_allocated(object_tracker *tracker, const tracked_object *object);

/** Moves an object. Successive moves are a set, which any other call ends. */
int object_tracker_moved(object_tracker *tracker, uint64_t from, uint64_t to);

/** Ends a set of moves. */
int object_tracker_end_moves(object_tracker *tracker);

/**
 * Marks an object that a heap snapshot contains as alive, and adds it if it is not known. A known object keeps its
 * size.
 */
int object_tracker_alive(object_tracker *tracker, const tracked_object *object);

/** Removes the object at an address, which is dead. The caller reports that itself. */
int object_tracker_freed(object_tracker *tracker, uint64_t address);

/** Ends a heap snapshot. If it is complete, objects that it does not contain are dead. */
int object_tracker_end_shot(object_tracker *tracker, int is_complete);

/** Removes all objects without reporting them as dead, and frees the memory. Returns how many there were. */
uint64_t object_tracker_forget(object_tracker *tracker);

/** The number of known objects. */
uint64_t object_tracker_count(const object_tracker *tracker);

/** Prefetches the slot of an address in the table. */
void object_tracker_prefetch(const object_tracker *tracker, uint64_t address);

#endif
