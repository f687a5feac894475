/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_recording.h
 * \brief The recording side of heap snapshots: what the collector reports while the world is stopped.
 *
 * The client guarantees that the recording side (heap.c) is one thread at a time, though not always the same. Each of
 * its calls begins with an acquire load of heap_recording::state and ends with a release store to it, so a call sees
 * all stores of the calls before it, even if the client's own means of exclusion, such as a stopped world, is not
 * synchronisation in the C memory model. It shares only the chunks (see heap_chunks.h) and atomic counts with the
 * writer thread (heap_drain.c); neither ever waits for the other.
 */
#ifndef RECORDER_HEAP_RECORDING_H
#define RECORDER_HEAP_RECORDING_H

#include <mprof/recorder.h>

#include "recorder/heap_chunks.h"
#include "recorder/heap_words.h"

/** The state of the recording side. */
typedef enum heap_state {
	HEAP_BETWEEN_SNAPSHOTS = 0,
	HEAP_IN_SNAPSHOT = 1,
	HEAP_IN_FULL_SNAPSHOT = 2 /**< There was no room for an object, so all later ones are dropped, too. */
} heap_state;

typedef struct heap_recording {
	heap_chunks chunks;
	/** Records that were dropped for lack of room. Only the recording side adds. Relaxed: the writer thread reads
	 * a statistic that orders nothing. */
	_Atomic uint64_t lost;

	char padding[CACHE_LINE]; /**< Aligned: fields that change with each object are on cache lines of their own. */
	/* Owner: the recording side. */
	_Atomic uint32_t state;             /**< A #heap_state; orders the calls, see above. */
	int is_losing_moves;                /**< #HEAP_WORD_LOSS was recorded, and #HEAP_WORD_RESUMED not since. */
	heap_chunk *current;                /**< The last chunk of the list, which is being filled. */
	uint64_t last_object;               /**< Address of the last object; the next one is relative to it. */
	uint64_t snapshot_counter;          /**< Counter when the snapshot began. */
	mprof_key class_keys[HEAP_CLASSES]; /**< The table of classes: see heap_words.h. */
	char padding_after[CACHE_LINE];
} heap_recording;

/** Allocates the first chunk. \p area: for chunks that are to be salvaged, or NULL. Returns 0 if there is no memory. */
int heap_recording_init(heap_recording *heap, uint64_t max_bytes, salvage_area *area);

/** Unmaps the free chunks and those from \p first on, also after a failed heap_recording_init(). */
void heap_recording_destroy(heap_recording *heap, heap_chunk *first);

#endif
