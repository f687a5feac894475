/* SPDX-License-Identifier: MIT */
/**
 * \file model/collections.h
 * \brief Garbage collections. Their events are gathered, and paired once they can be put in order: the start and the
 * end of a collection may be in blocks of different threads, and such blocks are not in order of time. Collections of
 * two threads may overlap, so events are paired by number, generation and thread, not by order alone.
 */
#ifndef MODEL_COLLECTIONS_H
#define MODEL_COLLECTIONS_H

#include "model/window.h"

#include <mprof/format.h>

typedef struct collection_event {
	uint64_t counter;
	uint64_t value;
	uint64_t thread;
	uint32_t number;   /**< Of the collection, 0 if the log does not tell. */
	uint32_t sequence; /**< Place in the log, for events at the same counter. */
	uint32_t kind;     /**< An #mprof_event_kind. */
} collection_event;

/** Times are in counters. */
typedef struct collection_record {
	uint64_t number;
	uint64_t thread; /**< The one that began it. */
	int is_counted;  /**< The log does not have the number. */
	uint32_t generation;
	uint8_t is_finished;
	uint8_t is_abandoned; /**< Another one with the same key began on the same thread: its end is lost. */
	uint8_t is_marking;
	uint8_t is_sweeping;
	uint64_t mark_start;
	uint64_t sweep_start;
	uint64_t start;
	uint64_t duration;
	uint64_t mark;
	uint64_t sweep;
	uint64_t pause;
} collection_record;

typedef struct heap_resize_record {
	uint64_t counter;
	uint64_t number; /**< In the numbers of collections, 0 if the log does not tell. */
	uint64_t bytes;
} heap_resize_record;

typedef struct collection_list {
	mprof_allocator allocator;
	collection_event *events;
	size_t event_count;
	size_t event_capacity;
	collection_record *records;
	size_t count;
	size_t capacity;
	heap_resize_record *resizes;
	size_t resize_count;
	size_t resize_capacity;
	size_t paired_count;    /**< Events that the last collections_pair() paired. */
	uint64_t paired_origin; /**< And its origin. */
	uint64_t time;          /**< In any collection, in counters; as of the last collections_pair(). */
} collection_list;

void collections_init(collection_list *all, const mprof_allocator *allocator);
void collections_destroy(collection_list *all);

/** Gathers a GC_... event of a thread. Returns 0, changing nothing, if there is no memory. */
int collections_add(collection_list *all, const mprof_event *event, uint64_t thread, uint64_t counter);

/**
 * Makes the records and the resizes of what was gathered: of those that begin inside of the window, and their time in it.
 * \p origin is a counter before all events. May be called again after more was gathered, with the same window; without more it does nothing. Returns 0 if there is no memory.
 */
int collections_pair(collection_list *all, uint64_t origin, const profile_window *window);

#endif
