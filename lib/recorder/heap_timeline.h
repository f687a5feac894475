/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_timeline.h
 * \brief Allocations by counter, kept until the collector's reports from the same time are drained. Writer thread.
 *
 * Allocations of one thread are drained in order, but the threads are drained one after the other, and all of them
 * before the moves and snapshots that happened in between. An address means one object before a collection and another
 * one after it, so allocations are sorted first.
 */
#ifndef RECORDER_HEAP_TIMELINE_H
#define RECORDER_HEAP_TIMELINE_H

#include "base/allocator.h"
#include "recorder/object_tracker.h"

/** An allocation; or the start of a collection, whose object's address is 0. */
typedef struct timeline_entry {
	uint64_t counter;
	tracked_object object;
} timeline_entry;

typedef struct heap_timeline {
	mprof_allocator allocator;
	timeline_entry *memory;  /**< Room for twice the capacity. Owned. */
	timeline_entry *entries; /**< One half of memory. */
	timeline_entry *scratch; /**< The other half. */
	size_t first;            /**< The first entry that was not taken yet. */
	size_t count;            /**< Number of entries, taken ones included. */
	size_t capacity;
	int is_sorted;
} heap_timeline;

/** Maximum number of waiting entries, of 64 bytes each. Only during a snapshot can there be that many. */
#define HEAP_TIMELINE_MAX ((size_t)1 << 22)

/** Initializes an empty timeline; allocates nothing yet. */
void heap_timeline_init(heap_timeline *timeline, const mprof_allocator *allocator);
void heap_timeline_destroy(heap_timeline *timeline);

/** Adds an entry with any counter. Returns 0 if there is no memory or the maximum is reached. */
int heap_timeline_add(heap_timeline *timeline, const timeline_entry *entry);

/** Sorts the added entries. Call it between adding and taking. */
void heap_timeline_sort(heap_timeline *timeline);

/**
 * Removes and returns the earliest entry if it is before \p counter, or returns NULL. The entry is valid until the next
 * heap_timeline_add().
 */
static inline const timeline_entry *heap_timeline_take(heap_timeline *timeline, uint64_t counter)
{
	/* Counters are close to each other, so the sign of their difference is right even after they wrap around. */
	if (timeline->first == timeline->count || (int64_t)(timeline->entries[timeline->first].counter - counter) >= 0)
		return NULL;
	return &timeline->entries[timeline->first++];
}

/** The entry that is \p count after the next one, or NULL. */
static inline const timeline_entry *heap_timeline_ahead(const heap_timeline *timeline, size_t count)
{
	return count < timeline->count - timeline->first ? &timeline->entries[timeline->first + count] : NULL;
}

#endif
