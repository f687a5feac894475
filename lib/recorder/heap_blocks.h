/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_blocks.h
 * \brief Collects events of heap snapshots into HEAP_DATA blocks, and the sums of a snapshot. Writer thread.
 */
#ifndef RECORDER_HEAP_BLOCKS_H
#define RECORDER_HEAP_BLOCKS_H

#include <mprof/recorder.h>

#include "recorder/field_queue.h"
#include "recorder/heap_batch.h"
#include "recorder/heap_sums.h"
#include "recorder/output.h"

/*
 * A block has one counter for all its events. Outside of snapshots, an event whose counter is later than that by this
 * span or more starts another block. If a counter unit is 8 ns, the moves of a block are within 33 us, which separates
 * those of two collections, and its deaths within half a millisecond.
 */
#define HEAP_MOVE_SPAN (UINT64_C(1) << 12)
#define HEAP_DEATH_SPAN (UINT64_C(1) << 16)

/** The snapshot that is being read. */
typedef struct open_snapshot {
	int is_open;
	uint32_t use; /**< Bits of #mprof_heap_use. */
	uint32_t collection;
	uint32_t number; /**< 0 if it is not written. */
	uint64_t counter;
	int has_block;  /**< One of its blocks is in the log. */
	int has_object; /**< The last object was added: records of references after it belong to it. */
	int is_incomplete;
} open_snapshot;

typedef struct heap_blocks {
	recorder_output *output;
	field_queue *fields; /**< Written before each block. */
	open_snapshot snapshot;
	heap_batch batch;        /**< Events that are in no block yet. */
	uint32_t batch_snapshot; /**< Number of the snapshot that these events belong to; 0 if none. */
	uint64_t batch_counter;  /**< The counter of the block that they will be written in. */
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

/** Begins a snapshot. */
void heap_blocks_begin_snapshot(heap_blocks *blocks, const open_snapshot *snapshot);

/** Ends the snapshot that is open: writes its last block and its summary, if it has them. */
void heap_blocks_end_snapshot(heap_blocks *blocks);

#endif
