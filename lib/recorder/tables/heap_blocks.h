/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/heap_blocks.h
 * \brief Collects events of heap snapshots into HEAP_DATA blocks, and the sums of a snapshot. Writer thread.
 */
#ifndef RECORDER_TABLES_HEAP_BLOCKS_H
#define RECORDER_TABLES_HEAP_BLOCKS_H

#include <mprof/format.h>
#include <mprof/recorder.h>
#include <mprof/writer.h>

#include "base/allocator.h"
#include "base/id_map.h"
#include "recorder/queues/heap_recording.h"
#include "recorder/tables/keys.h"
#include "recorder/tables/output.h"

/** Labels, flags, names and weak references of a heap snapshot, which become blocks. */
typedef struct heap_notes {
	mprof_allocator allocator;
	mprof_record *records; /**< NULL before the first one. */
	char *bytes;           /**< The texts of labels, NUL-terminated. */
	uint32_t label_count;  /**< Records of OBJECT_LABELS, from the first on. */
	uint32_t name_count;   /**< Records of REFERENCE_NAMES, in the second half. */
	uint32_t byte_count;
} heap_notes;

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

/** The index in heap_sums_row::counts of a number of objects; the element after it is their size in bytes. */
typedef enum heap_sum { HEAP_SUM_ALIVE = 0, HEAP_SUM_DEAD = 2 } heap_sum;

/** The sums of a class. */
typedef struct heap_sums_row {
	uint64_t counts[4];
	uint32_t class_id;
} heap_sums_row;

typedef struct heap_sums {
	mprof_allocator allocator;
	id_map row_numbers; /**< Class → its row + 1. */
	heap_sums_row *rows;
	size_t count;
	size_t capacity;
	int is_short; /**< An object was left out because there was no memory. */
} heap_sums;

/**
 * The slow path of heap_sums_add(): adds a row for a class. Returns NULL, and notes the loss, if there is no memory.
 */
heap_sums_row *heap_sums_add_row(heap_sums *sums, uint32_t class_id);

/** Adds an object of \p size bytes to a sum of its class. */
static inline void heap_sums_add(heap_sums *sums, heap_sum sum, uint32_t class_id, uint64_t size)
{
	uint32_t number = id_map_get(&sums->row_numbers, class_id);
	heap_sums_row *row = number != 0 ? &sums->rows[number - 1] : heap_sums_add_row(sums, class_id);

	if (row == NULL)
		return;
	row->counts[sum]++;
	row->counts[sum + 1] += size;
}

/*
 * A block has one counter for all its events. Outside of snapshots, an event whose counter is later than that by this
 * span or more starts another block. If a counter unit is 8 ns, the moves of a block are within 33 us, which separates
 * those of two collections, and its deaths within half a millisecond.
 */
#define HEAP_MOVE_SPAN (UINT64_C(1) << 12)
#define HEAP_DEATH_SPAN (UINT64_C(1) << 16)

typedef struct heap_blocks {
	recorder_output *output;
	field_queue *fields; /**< Written before each block. */
	open_snapshot snapshot;
	heap_batch batch;        /**< Events that are in no block yet. */
	uint32_t batch_snapshot; /**< Number of the snapshot that these events belong to; 0 if none. */
	uint64_t batch_counter;  /**< The counter of the block that they will be written in. */
	heap_notes notes;        /**< Of the snapshot; written after its events so far. */
	heap_sums sums;
	uint64_t snapshots;        /**< Number of snapshots written so far. */
	uint64_t incomplete_shots; /**< Number of those that are incomplete. */
} heap_blocks;

/**
 * Initializes the state between snapshots; allocates nothing yet. \p output is borrowed, and so is \p fields: fields of
 * classes that the next block may contain.
 */
void heap_blocks_init(heap_blocks *blocks, const mprof_allocator *allocator, recorder_output *output,
		      field_queue *fields);
void heap_blocks_destroy(heap_blocks *blocks);

/** Counts losses. They make the snapshot that is open incomplete. */
void heap_blocks_note_lost(heap_blocks *blocks, mprof_loss_cause cause, uint64_t count);

/** Writes the collected events, if there are any. */
void heap_blocks_flush(heap_blocks *blocks);

/** The slow path of heap_blocks_add(): begins an empty batch. Returns 0 and counts a loss if there is no memory. */
int heap_blocks_begin_batch(heap_blocks *blocks);

/** Whether the snapshot's objects are written, and not only counted. */
static inline int heap_blocks_has_snapshot(const heap_blocks *blocks)
{
	return blocks->snapshot.is_open && (blocks->snapshot.use & MPROF_HEAP_USE_SHOT) != 0;
}

/**
 * Appends an event to the snapshot that is open, or to the events outside of snapshots. Returns where to store its
 * references; NULL if there is no memory for it.
 */
static inline uint64_t *heap_blocks_add(heap_blocks *blocks, mprof_event_kind kind, uint32_t id, uint64_t value,
					uint64_t object, uint32_t references, uint64_t counter)
{
	uint32_t snapshot = blocks->snapshot.number;
	uint64_t span = kind == MPROF_EVENT_HEAP_MOVE ? HEAP_MOVE_SPAN : HEAP_DEATH_SPAN;

	if ((!heap_batch_has_room(&blocks->batch, references) || blocks->batch_snapshot != snapshot ||
	     (snapshot == 0 && counter - blocks->batch_counter >= span)) &&
	    !heap_blocks_begin_batch(blocks))
		return NULL;
	if (blocks->batch.count == 0) {
		blocks->batch_snapshot = snapshot;
		blocks->batch_counter = snapshot != 0 ? blocks->snapshot.counter : counter;
	}
	return heap_batch_add(&blocks->batch, kind, id, value, object, references);
}

/** Adds a record about an object or a reference to the snapshot that is open: see heap_notes_add(). */
void heap_blocks_add_note(heap_blocks *blocks, const mprof_record *record, const char *text, size_t length);

/** Begins a snapshot. */
void heap_blocks_begin_snapshot(heap_blocks *blocks, const open_snapshot *snapshot);

/** Ends the snapshot that is open: writes its last block and its summary, if it has them. */
void heap_blocks_end_snapshot(heap_blocks *blocks);

#endif
