/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_deaths.h
 * \brief Finds the objects that died, from allocations, moves and heap snapshots. Owner: the writer thread.
 *
 * Allocations come from the threads' buffers and wait in a timeline; reports of the collector come from the chunks of
 * the heap, in order. heap_deaths_pass_time() merges the two by their counters.
 */
#ifndef RECORDER_HEAP_DEATHS_H
#define RECORDER_HEAP_DEATHS_H

#include <mprof/recorder.h>

#include "recorder/heap_blocks.h"
#include "recorder/heap_timeline.h"
#include "recorder/object_tracker.h"

typedef struct heap_deaths {
	heap_blocks *blocks; /**< Receives the deaths. Borrowed. */
	int is_tracking;     /**< Deaths are found. Each round then drains everything that threads have published. */
	int writes_each; /**< Each death is written as an event: the last snapshot requested it, or there was none. */
	int has_lost_moves; /**< Moves were not recorded, so the addresses of all objects are unknown. */
	uint64_t counter;   /**< Counter of the deaths that are found now. */
	heap_timeline timeline;
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
