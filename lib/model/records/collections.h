/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/collections.h
 * \brief Garbage collections, and the pauses of threads: stops of the world, collections without known stops, and waits
 * for monitors.
 *
 * The events of collections are stored, and sorted and paired when the profile is finished: the start and the end of a
 * collection may be in blocks of different threads, and such blocks are not in the order of time. Collections of two
 * threads may overlap, so events are paired by number, generation and thread, not by order alone. From the pauses
 * follows how long the threads waited or were stopped in each slice of the timeline.
 */
#ifndef MODEL_RECORDS_COLLECTIONS_H
#define MODEL_RECORDS_COLLECTIONS_H

#include <mprof/format.h>

#include "base/progress.h"
#include "model/records/thread_table.h"
#include "model/records/timeline.h"
#include "model/records/window.h"

typedef struct collection_event {
	uint64_t counter;
	uint64_t value;
	uint64_t thread;
	uint32_t number;   /**< Number of the collection, 0 if not in the log. */
	uint32_t sequence; /**< Position in the log, for events with the same counter. */
	uint32_t kind;     /**< An #mprof_event_kind. */
} collection_event;

/** Times are in counters. */
typedef struct collection_record {
	uint64_t number;
	uint64_t thread; /**< The thread that began it. */
	int is_counted;  /**< The log does not contain the number: collections were counted. */
	uint32_t generation;
	uint8_t is_finished;
	uint8_t is_abandoned; /**< The end is missing: another collection with the same key began on the same thread. */
	uint8_t is_marking;
	uint8_t is_sweeping;
	uint8_t has_stop; /**< The log has a stop of the world for it. */
	uint64_t mark_start;
	uint64_t sweep_start;
	uint64_t start;
	uint64_t duration;
	uint64_t mark;
	uint64_t sweep;
	uint64_t pause;
} collection_record;

/** The world was stopped, or a collection ran and the log does not state for how long the world was stopped for it. */
typedef struct collection_stop {
	uint64_t thread; /**< The thread that stopped the world or began the collection. */
	uint64_t start;
	uint64_t end;    /**< If is_finished. */
	size_t record;   /**< While pairing: the collection, SIZE_MAX if not known. */
	uint64_t number; /**< Of the collection, if has_collection, as generation. */
	uint32_t generation;
	uint8_t has_collection;
	uint8_t is_collection; /**< It is a collection without a known stop. */
	uint8_t is_finished;
} collection_stop;

typedef struct heap_resize_record {
	uint64_t counter;
	uint64_t number; /**< In the sequence of collection numbers, 0 if not in the log. */
	uint64_t bytes;
} heap_resize_record;

typedef struct collection_list {
	mprof_allocator allocator;
	collection_event *events;
	size_t event_count;
	size_t event_capacity;
	size_t started; /**< Number of the events that begin a collection. */
	size_t resized; /**< That change the size of the heap. */
	size_t stopped; /**< That stop the world. */
	collection_record *records;
	size_t count;
	size_t capacity;
	heap_resize_record *resizes;
	size_t resize_count;
	size_t resize_capacity;
	collection_stop *stops; /**< Also those outside the window. */
	size_t stop_count;
	size_t stop_capacity;
	size_t paired_count;    /**< Number of events that the last collections_pair() paired; SIZE_MAX if it was
	                             stopped. */
	uint64_t paired_origin; /**< The origin of that call. */
	uint64_t time;          /**< Time in any collection, in counters; as of the last collections_pair(). */
} collection_list;

void collections_init(collection_list *all, const mprof_allocator *allocator);
void collections_destroy(collection_list *all);

/** Adds a GC_... event of a thread. Returns 0, changing nothing, if there is no memory. */
int collections_add(collection_list *all, const mprof_event *event, uint64_t thread, uint64_t counter);

/** Steps of collections_pair(). */
uint64_t collections_steps(const collection_list *all);

/**
 * Creates the records and the resizes that begin inside the window, and the time in any collection inside the window.
 * \p origin is a counter near the start of the log, relative to which events are sorted. May be called again after more
 * events were added, with the same window; without new events it does nothing. collections_add() reserved the memory.
 * Returns 0 if it was stopped: there are no records then.
 */
int collections_pair(collection_list *all, uint64_t origin, const profile_window *window, progress *going);

typedef struct pause_record {
	uint64_t start;
	uint64_t end; /**< If is_unfinished, the latest counter of the log. */
	uint64_t thread;
	uint64_t number; /**< Of the collection, 0 if none, as generation. */
	uint32_t generation;
	uint32_t kind;   /**< An #mprof_pause_kind. */
	uint64_t object; /**< Of a wait, like the following. */
	uint64_t holder;
	uint32_t class_id;
	uint32_t stack;
	uint8_t is_unfinished;
	uint8_t has_collection;
} pause_record;

typedef struct pause_list {
	mprof_allocator allocator;
	pause_record *records; /**< By their starts. */
	size_t count;
	size_t capacity;
	size_t slice_count; /**< Of the timeline. */
} pause_list;

void pauses_init(pause_list *all, const mprof_allocator *allocator);
void pauses_destroy(pause_list *all);

/** Steps of pauses_show(). */
uint64_t pauses_steps(const timeline *slices, const thread_table *threads, const collection_list *collections);

/**
 * Lists the pauses that overlap the window, and completes the slices of the threads. \p latest is the last counter of
 * the log; if an event is later, its counter counts. Returns 0 if there is no memory or it was stopped:
 * there are no pauses then, and the same call starts again.
 */
int pauses_show(pause_list *all, timeline *slices, thread_table *threads, const collection_list *collections,
		uint64_t latest, progress *going);

#endif
