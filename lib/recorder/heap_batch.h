/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_batch.h
 * \brief Events of a heap snapshot that wait to be written as a HEAP_DATA block. Used by the writer thread alone.
 */
#ifndef RECORDER_HEAP_BATCH_H
#define RECORDER_HEAP_BATCH_H

#include <mprof/format.h>

#include "base/allocator.h"

/* Maximum numbers in one block: few enough for the arrays of a batch to stay in the second-level cache. */
#define HEAP_BATCH_EVENTS 2048U
#define HEAP_BATCH_REFERENCES 16384U

typedef struct heap_batch {
	mprof_allocator allocator;
	mprof_event *events;         /**< Room for #HEAP_BATCH_EVENTS, or NULL before heap_batch_prepare(). */
	mprof_event_detail *details; /**< One for each event. */
	uint64_t *references;        /**< References of all events. */
	uint64_t *offsets;           /**< One offset for each reference; written only by heap_batch_offsets(). */
	uint32_t count;              /**< Number of events. */
	uint32_t reference_count;
} heap_batch;

/** Initializes an empty batch; allocates nothing yet. */
void heap_batch_init(heap_batch *batch, const mprof_allocator *allocator);
void heap_batch_destroy(heap_batch *batch);

/** Allocates the memory unless that was done before. Returns 0 if out of memory. */
int heap_batch_prepare(heap_batch *batch);

/** Whether the memory was allocated and has room for another event with \p references references. */
static inline int heap_batch_has_room(const heap_batch *batch, uint32_t references)
{
	return batch->events != NULL && batch->count < HEAP_BATCH_EVENTS &&
	       references <= HEAP_BATCH_REFERENCES - batch->reference_count;
}

/** Appends an event, for which there is room. Returns where to store its references. */
static inline uint64_t *heap_batch_add(heap_batch *batch, mprof_event_kind kind, uint32_t id, uint64_t value,
				       uint64_t object, uint32_t references)
{
	uint64_t *room = batch->references + batch->reference_count;
	mprof_event_detail *detail = &batch->details[batch->count];

	*detail = (mprof_event_detail){.struct_size = sizeof(mprof_event_detail),
				       .object = object,
				       .reference_count = references,
				       .references = room};
	batch->events[batch->count] = (mprof_event){.kind = (uint8_t)kind, .id = id, .value = value, .more = {detail}};
	batch->count++;
	batch->reference_count += references;
	return room;
}

/** Whether references, all with offsets or all without, can be added to the last event, which must be of an object. */
static inline int heap_batch_continues(const heap_batch *batch, uint32_t references, int has_offsets)
{
	const mprof_event_detail *detail;
	int kind;

	if (batch->count == 0 || references > HEAP_BATCH_REFERENCES - batch->reference_count)
		return 0;
	detail = &batch->details[batch->count - 1];
	kind = batch->events[batch->count - 1].kind;
	return (kind == MPROF_EVENT_HEAP_OBJECT || kind == MPROF_EVENT_HEAP_REFERENCES) &&
	       (detail->reference_count == 0 || (detail->offsets != NULL) == has_offsets);
}

/** Adds references to the last event. Returns where to store them; NULL if heap_batch_continues() returns 0. */
static inline uint64_t *heap_batch_extend(heap_batch *batch, uint32_t references, int has_offsets)
{
	uint64_t *room = batch->references + batch->reference_count;

	if (!heap_batch_continues(batch, references, has_offsets))
		return NULL;
	batch->details[batch->count - 1].reference_count += references;
	batch->reference_count += references;
	return room;
}

/**
 * Declares that the references of the last event have offsets. Returns where to store those of the references at \p
 * room, which heap_batch_add() or heap_batch_extend() returned.
 */
static inline uint64_t *heap_batch_offsets(heap_batch *batch, const uint64_t *room)
{
	mprof_event_detail *detail = &batch->details[batch->count - 1];

	detail->offsets = batch->offsets + (detail->references - batch->references);
	return batch->offsets + (room - batch->references);
}

/** Removes the events. */
static inline void heap_batch_clear(heap_batch *batch)
{
	batch->count = 0;
	batch->reference_count = 0;
}

#endif
