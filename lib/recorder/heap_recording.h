/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_recording.h
 * \brief Heap snapshots where they are recorded: what the collector reports while the world is stopped.
 *
 * The side that records (heap.c) is one thread at a time, as the client promises, but not always the same. Each of its
 * calls begins with an acquire load of heap_recording::state and ends with a release store to it, so a call sees all
 * that those before it left, even where the client's own means of exclusion, such as a stopped world, are not known to
 * the C memory model. It shares nothing with the writer thread (heap_drain.c) but the chunks, see there, and atomic
 * counts; neither ever waits for the other.
 */
#ifndef RECORDER_HEAP_RECORDING_H
#define RECORDER_HEAP_RECORDING_H

#include <mprof/recorder.h>

#include "recorder/heap_chunks.h"
#include "recorder/heap_words.h"

/** Where the side that records is. */
typedef enum heap_state {
	HEAP_BETWEEN_SNAPSHOTS = 0,
	HEAP_IN_SNAPSHOT = 1,
	HEAP_IN_FULL_SNAPSHOT = 2 /**< Objects of this snapshot did not fit: the others are dropped, too. */
} heap_state;

typedef struct heap_recording {
	heap_chunks chunks;
	_Atomic uint64_t lost; /**< Objects, moves and the like without room. The side that records adds, relaxed. */

	char padding[CACHE_LINE]; /**< What changes with each object is on cache lines of its own. */
	/* The side that records. */
	_Atomic uint32_t state; /**< A #heap_state; orders the calls, see above. */
	int is_losing_moves;    /**< Recorded in the current chunk; over when there is a next one. */
	heap_chunk *current;
	uint64_t last_object; /**< What the next object's address is relative to. */
	uint64_t snapshot_counter;
	mprof_key class_keys[HEAP_CLASSES];
	char padding_after[CACHE_LINE];
} heap_recording;

/** Takes the first chunk. Returns 0 if there is no memory. */
int heap_recording_init(heap_recording *heap, uint64_t max_bytes);

/** Unmaps the free chunks and those from \p first on, also after a failed heap_recording_init(). */
void heap_recording_destroy(heap_recording *heap, heap_chunk *first);

#endif
