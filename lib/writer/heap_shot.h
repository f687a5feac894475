/* SPDX-License-Identifier: MIT */
/**
 * \file writer/heap_shot.h
 * \brief What a heap shot holds, gathered until it is written as one block, as in logs of Mono.
 *
 * There an object stands with all its references, however many calls they come in.
 */
#ifndef WRITER_HEAP_SHOT_H
#define WRITER_HEAP_SHOT_H

#include <mprof/writer.h>

#include "format/encode_buffer.h"

/** The object whose references are not told to their end. */
typedef struct heap_shot_object {
	uint64_t address;
	uint32_t class_id;
	uint32_t size;
	uint32_t reference_count;
	int is_there; /**< 0: there is none. */
} heap_shot_object;

typedef struct heap_shot {
	encode_buffer items;      /**< Up to the object below. */
	encode_buffer references; /**< Of that object. */
	heap_shot_object object;
	mprof_writer_stats *stats; /**< Counts what is left out or shortened. Borrowed. */
	int lossy;
	int is_open;
	mprof_clock start; /**< When the heap began to be gone over. Set by the owner. */
	uint32_t number;   /**< That the caller gave it. Set by the owner. */
	uint64_t count;    /**< Objects, alive or dead, since it was last set to 0 by the owner. */
} heap_shot;

void heap_shot_init(heap_shot *shot, const mprof_allocator *allocator, mprof_writer_stats *stats, int lossy);
void heap_shot_destroy(heap_shot *shot);

/** Empties it. */
void heap_shot_clear(heap_shot *shot);

/** Whether blocks of these dialects have a place for events of a kind. */
static inline int heap_shot_has(uint32_t kind)
{
	return kind == MPROF_EVENT_HEAP_OBJECT || kind == MPROF_EVENT_HEAP_FREE || kind == MPROF_EVENT_HEAP_REFERENCES;
}

/** Makes room for events that were checked. Returns 0 if there is no memory. */
int heap_shot_reserve(heap_shot *shot, const mprof_event *events, size_t count);

/** Adds what an event says, or leaves it out and counts it. Room was made. */
void heap_shot_add(heap_shot *shot, const mprof_event *event);

/** Moves the last object to the items. Room was made. */
void heap_shot_finish(heap_shot *shot);

/** The bytes that wait. */
static inline size_t heap_shot_length(const heap_shot *shot)
{
	return shot->items.length + shot->references.length;
}

#endif
