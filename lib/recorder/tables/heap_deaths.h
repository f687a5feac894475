/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/heap_deaths.h
 * \brief Finds the objects that died, from allocations, moves and heap snapshots. Owner: the writer thread.
 *
 * Allocations come from the threads' buffers and wait in a timeline; reports of the collector come from the chunks of
 * the heap, in order. heap_deaths_pass_time() merges the two by their counters.
 */
#ifndef RECORDER_TABLES_HEAP_DEATHS_H
#define RECORDER_TABLES_HEAP_DEATHS_H

#include <mprof/recorder.h>

#include "base/action_queue.h"
#include "base/allocator.h"
#include "base/hash_map.h"
#include "recorder/tables/heap_blocks.h"

/*
 * Objects come from allocations and heap snapshots. Moves of one collection are applied as a set, since one object may
 * leave an address and another may take it. If an address is reused, or a complete snapshot does not contain an object,
 * the object is dead, and the caller's function is called.
 *
 * An object costs 21 to 32 bytes of memory, and 21 more while the table grows.
 */

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

/*
 * Allocations of one thread are drained in order, but the threads are drained one after the other, and all of them
 * before the moves and snapshots that happened in between. An address means one object before a collection and another
 * one after it, so allocations are sorted first.
 */

/** An allocation; or the start of a collection, whose object's address is 0. */
typedef struct timeline_entry {
	uint64_t counter;
	tracked_object object;
} timeline_entry;

/** Maximum number of waiting entries, of 64 bytes each. Only during a snapshot can there be that many. */
#define HEAP_TIMELINE_MAX ((size_t)1 << 22)

typedef struct heap_deaths {
	heap_blocks *blocks; /**< Receives the deaths. Borrowed. */
	int is_tracking;     /**< Deaths are found. Each round then drains everything that threads have published. */
	int writes_each; /**< Each death is written as an event: the last snapshot requested it, or there was none. */
	int has_lost_moves;    /**< Moves were not recorded, so the addresses of all objects are unknown. */
	uint64_t counter;      /**< Counter of the deaths that are found now. */
	action_queue timeline; /**< #timeline_entry. */
	object_tracker tracker;
} heap_deaths;

/** Allocates no memory yet. \p deaths must not move from now on. */
void heap_deaths_init(heap_deaths *deaths, const mprof_allocator *allocator, heap_blocks *blocks, int is_tracking);
void heap_deaths_destroy(heap_deaths *deaths);

/** Stops looking for deaths and removes all objects. */
void heap_deaths_stop(heap_deaths *deaths);

/**
 * Ends the tracking because memory ran out. The deaths of the tracked objects are counted as lost.
 */
void heap_deaths_give_up(heap_deaths *deaths);

/** Notes an allocation that was drained. \p counter is when it was recorded. */
void heap_deaths_note_allocation(heap_deaths *deaths, uint64_t object, uint32_t class_id, uint64_t size,
				 uint64_t counter);

/** Notes the start of a collection that was drained: moves before and after it belong to different collections. */
void heap_deaths_note_collection(heap_deaths *deaths, uint64_t counter);

/** Sorts the noted entries. Call it between noting and heap_deaths_pass_time(). */
void heap_deaths_sort(heap_deaths *deaths);

/** Applies the noted allocations and collections before a counter, in order. */
void heap_deaths_pass_time(heap_deaths *deaths, uint64_t counter);

/** Notes that a snapshot begins. */
void heap_deaths_begin_snapshot(heap_deaths *deaths, uint32_t use, uint64_t counter);

/** Notes that a snapshot ends. If it is complete, all objects that it does not contain are dead. */
void heap_deaths_end_snapshot(heap_deaths *deaths, int is_complete, uint64_t counter);

/** Notes that the client has reported an object as dead. */
void heap_deaths_note_freed(heap_deaths *deaths, uint64_t address, uint64_t counter);

/** Notes that an object was moved. */
void heap_deaths_note_moved(heap_deaths *deaths, uint64_t from, uint64_t to, uint64_t counter);

/** Notes that a move was not recorded: any address may be wrong from here on, so all objects are removed. */
void heap_deaths_lose_moves(heap_deaths *deaths);

/** Moves are recorded again from a counter on. Objects allocated before it may have been moved and are not tracked. */
void heap_deaths_find_moves(heap_deaths *deaths, uint64_t counter);

/** Whether deaths can be found: objects are tracked, and their addresses are known. */
static inline int heap_deaths_is_sure(const heap_deaths *deaths)
{
	return deaths->is_tracking && !deaths->has_lost_moves;
}

/** Notes that a snapshot contains an object. */
static inline void heap_deaths_note_alive(heap_deaths *deaths, const tracked_object *object)
{
	if (heap_deaths_is_sure(deaths) && !object_tracker_alive(&deaths->tracker, object))
		heap_deaths_give_up(deaths);
}

#endif
