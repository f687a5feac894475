/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap.h
 * \brief Heap shots: what the collector tells where the world is stopped, on its way to the log.
 *
 * The side that records (heap.c) is one thread at a time, as the client promises, but not always the same. Each of its
 * calls begins with an acquire load of heap_store::state and ends with a release store to it, so a call sees all that
 * those before it left behind, even where the client's own means, such as stopping the world, are none that the
 * language knows. It shares nothing with the writer thread (heap_drain.c) but the chunks, see there, and atomic counts;
 * neither ever waits for the other.
 */
#ifndef RECORDER_HEAP_H
#define RECORDER_HEAP_H

#include <mprof/recorder.h>

#include "recorder/heap_batch.h"
#include "recorder/heap_chunks.h"
#include "recorder/heap_sums.h"
#include "recorder/heap_timeline.h"
#include "recorder/heap_words.h"
#include "recorder/object_tracker.h"

/** Where the side that records is. */
typedef enum heap_state {
	HEAP_BETWEEN_SHOTS = 0,
	HEAP_IN_SHOT = 1,
	HEAP_IN_FULL_SHOT = 2 /**< Objects of this shot did not fit: the others are not taken either. */
} heap_state;

/** A class in the writer thread's copy of the table. */
typedef struct heap_class {
	mprof_key key;
	uint32_t id;
	uint32_t stamp; /**< The ID is good if it is that of heap_store::class_stamp. */
} heap_class;

/** The shot that is being read. Writer thread. */
typedef struct heap_shot {
	int is_open;
	uint32_t use; /**< Bits of #mprof_heap_use. */
	uint32_t collection;
	uint32_t number; /**< 0 if it is not written. */
	uint64_t counter;
	int has_block;  /**< One of its blocks was written, or was to be. */
	int has_object; /**< So more references have an object. */
	int is_incomplete;
} heap_shot;

typedef struct heap_store {
	heap_chunks chunks;
	_Atomic uint64_t lost; /**< Objects, moves and the like without room. The side that records adds. */

	char padding[CACHE_LINE]; /**< What changes with each object is on cache lines of its own. */
	/* The side that records. */
	_Atomic uint32_t state; /**< A #heap_state; orders the calls, see above. */
	int is_losing_moves;    /**< Told in the current chunk; over when there is a next one. */
	heap_chunk *current;
	uint64_t last_object; /**< What the next one's address is told to. */
	uint64_t shot_counter;
	mprof_key class_keys[HEAP_CLASSES];
	char padding_behind[CACHE_LINE];

	/* The rest is the writer thread's. */
	int is_tracking;      /**< Deaths are found: a round then drains all that threads have published. */
	int tells_deaths;     /**< They are written one by one: the last shot asked for it, or there was none. */
	int is_blind;         /**< Moves are missing: nothing is known of objects for now. */
	heap_chunk *chunk;    /**< The first that was not read to its end. */
	uint32_t place;       /**< What is read next in it. */
	uint64_t read_object; /**< As last_object, of what was read. */
	const heap_chunk *until_chunk; /**< Where this round stops: what was there when it began. */
	uint32_t until_place;
	uint64_t until_counter;    /**< Allocations before it were drained before heap_drain(). */
	uint64_t lost_seen;        /**< Of lost. */
	uint32_t next_number;      /**< Of shots. */
	uint64_t shots;            /**< Written so far, ... */
	uint64_t incomplete_shots; /**< ... and those of them that are incomplete. */
	heap_shot shot;
	heap_batch batch;
	uint32_t batch_shot; /**< What the events in the batch belong to. */
	uint64_t batch_counter;
	heap_sums sums;
	heap_timeline timeline;
	object_tracker tracker;
	uint64_t death_counter; /**< When what is found dead was found so. */
	uint32_t class_stamp;   /**< Changes where a key may come to have another ID. */
	heap_class classes[HEAP_CLASSES];
} heap_store;

/** Takes the first piece of memory. Returns 0 if there is none. */
int heap_store_init(heap_store *heap, const mprof_allocator *allocator, uint64_t max_bytes, int track_objects);

/** Gives back all memory, also after a failed heap_store_init() or of a store that is all zero. */
void heap_store_destroy(heap_store *heap);

#endif
