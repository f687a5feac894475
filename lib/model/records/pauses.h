/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/pauses.h
 * \brief Pauses: stops of the world, collections without known stops, and waits for monitors. From them follows how
 * long the threads waited or were stopped in each slice of the timeline.
 */
#ifndef MODEL_RECORDS_PAUSES_H
#define MODEL_RECORDS_PAUSES_H

#include "model/records/collections.h"
#include "model/records/thread_table.h"
#include "model/records/timeline.h"

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
