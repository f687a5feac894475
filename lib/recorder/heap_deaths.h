/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_deaths.h
 * \brief Which objects died: what is known of all objects from allocations, moves and heap snapshots. Writer thread.
 *
 * Allocations come from the threads' buffers and wait in a timeline; what a collection reports comes from the chunks of
 * the heap, in order. heap_deaths_pass_time() brings the two into one order by their counters.
 */
#ifndef RECORDER_HEAP_DEATHS_H
#define RECORDER_HEAP_DEATHS_H

#include <mprof/recorder.h>

#include "recorder/heap_blocks.h"
#include "recorder/heap_timeline.h"
#include "recorder/object_tracker.h"

typedef struct heap_deaths {
	heap_blocks *blocks; /**< Where deaths go. */
	int is_tracking;     /**< Deaths are found: a round then drains all that threads have published. */
	int writes_each;     /**< They are written one by one: the last snapshot asked for it, or there was none. */
	int is_blind;        /**< Moves are missing: nothing is known of objects for now. */
	uint64_t counter;    /**< When what is found dead was found so. */
	heap_timeline timeline;
	object_tracker tracker;
} heap_deaths;

/** Takes no memory yet. \p deaths must not move from now on. */
void heap_deaths_init(heap_deaths *deaths, const mprof_allocator *allocator, heap_blocks *blocks, int is_tracking);
void heap_deaths_destroy(heap_deaths *deaths);

/** Nobody needs to learn of deaths any more: forgets all objects. */
void heap_deaths_stop(heap_deaths *deaths);

/**
 * No memory for what is known of objects: no more deaths are found, and those that might have been are counted as lost.
 */
void heap_deaths_give_up(heap_deaths *deaths);

/** An allocation was drained. \p counter is when it was recorded. */
void heap_deaths_note_allocation(heap_deaths *deaths, uint64_t object, uint32_t class_id, uint64_t size,
				 uint64_t counter);

/** A collection's start was drained: moves before it and after it are not of one collection. */
void heap_deaths_note_collection(heap_deaths *deaths, uint64_t counter);

/** Puts what was noted in order. To be called between noting and heap_deaths_pass_time(). */
void heap_deaths_sort(heap_deaths *deaths);

/** Applies the allocations before a counter. */
void heap_deaths_pass_time(heap_deaths *deaths, uint64_t counter);

/** A snapshot begins. */
void heap_deaths_begin_shot(heap_deaths *deaths, uint32_t use, uint64_t counter);

/** It ends. If it is complete, what it did not hold is dead. */
void heap_deaths_end_shot(heap_deaths *deaths, int is_complete, uint64_t counter);

/** The client reports an object as dead. */
void heap_deaths_note_freed(heap_deaths *deaths, uint64_t address, uint64_t counter);

/** An object was moved. */
void heap_deaths_note_moved(heap_deaths *deaths, uint64_t from, uint64_t to, uint64_t counter);

/** A move is missing: all that is known of objects may be wrong from here on ... */
void heap_deaths_lose_moves(heap_deaths *deaths);

/** ... up to here. What was allocated before may have been moved. */
void heap_deaths_find_moves(heap_deaths *deaths, uint64_t counter);

static inline int heap_deaths_is_sure(const heap_deaths *deaths)
{
	return deaths->is_tracking && !deaths->is_blind;
}

/** A snapshot holds an object. */
static inline void heap_deaths_note_alive(heap_deaths *deaths, const tracked_object *object)
{
	if (heap_deaths_is_sure(deaths) && !object_tracker_alive(&deaths->tracker, object))
		heap_deaths_give_up(deaths);
}

#endif
