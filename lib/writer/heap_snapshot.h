/* SPDX-License-Identifier: MIT */
/**
 * \file writer/heap_snapshot.h
 * \brief The contents of a heap snapshot, collected until it is written as one block, as in logs of Mono.
 *
 * In these logs an object is followed by all its references, however many calls deliver them.
 */
#ifndef WRITER_HEAP_SNAPSHOT_H
#define WRITER_HEAP_SNAPSHOT_H

#include <mprof/writer.h>

#include "format/values/encode_buffer.h"

/** The object whose references are not complete yet. */
typedef struct heap_snapshot_object {
	uint64_t address;
	uint32_t class_id;
	uint32_t size;
	uint32_t reference_count;
	int is_there; /**< 0: there is no such object. */
} heap_snapshot_object;

typedef struct heap_snapshot {
	encode_buffer items;      /**< The items before the object below. */
	encode_buffer references; /**< The references of that object. */
	heap_snapshot_object object;
	mprof_writer_stats *stats; /**< Counts what is left out or shortened. Borrowed. */
	int lossy;
	int is_open;
	mprof_clock start; /**< When the scan of the heap began. Set by the owner. */
	uint32_t number;   /**< The number passed by the caller. Set by the owner. */
	uint64_t count;    /**< Objects, alive or dead, since it was last set to 0 by the owner. */
} heap_snapshot;

void heap_snapshot_init(heap_snapshot *snapshot, const mprof_allocator *allocator, mprof_writer_stats *stats,
			int lossy);
void heap_snapshot_destroy(heap_snapshot *snapshot);

/** Removes all contents and closes the snapshot. */
void heap_snapshot_clear(heap_snapshot *snapshot);

/** Whether blocks of these dialects can represent events of a kind. */
static inline int heap_snapshot_has(uint32_t kind)
{
	return kind == MPROF_EVENT_HEAP_OBJECT || kind == MPROF_EVENT_HEAP_FREE || kind == MPROF_EVENT_HEAP_REFERENCES;
}

/** Makes room for events that were checked. Returns 0 if out of memory. */
int heap_snapshot_reserve(heap_snapshot *snapshot, const mprof_event *events, size_t count);

/** Adds an event, or leaves it out and counts it. Call heap_snapshot_reserve() before. */
void heap_snapshot_add(heap_snapshot *snapshot, const mprof_event *event);

/** Moves the last object to the items. Call heap_snapshot_reserve() before. */
void heap_snapshot_finish(heap_snapshot *snapshot);

/** The bytes collected so far. */
static inline size_t heap_snapshot_length(const heap_snapshot *snapshot)
{
	return snapshot->items.length + snapshot->references.length;
}

#endif
