/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/heap_drain.h
 * \brief Converts the raw records of heap snapshots to events, sums, and the table of live objects. Writer thread.
 *
 * A round of draining calls heap_drain_begin(), then drains the threads, then calls heap_drain_run(). heap_drain_run()
 * writes only the records that existed at heap_drain_begin(), so all earlier allocations have been drained before.
 */
#ifndef RECORDER_TABLES_HEAP_DRAIN_H
#define RECORDER_TABLES_HEAP_DRAIN_H

#include <mprof/recorder.h>

#include "recorder/tables/heap_blocks.h"
#include "recorder/tables/heap_deaths.h"
#include "recorder/tables/keys.h"
#include "recorder/tables/roots.h"
#include "recorder/queues/shared.h"

/** A class in the writer thread's copy of heap_recording::class_keys. */
typedef struct heap_class {
	mprof_key key;
	uint32_t id;
	uint32_t stamp; /**< The ID is valid if this equals heap_drain::class_stamp. */
} heap_class;

typedef struct heap_drain {
	recorder_shared *shared;
	recorder_output *output;
	recorder_keys *keys;
	root_table *roots;
	heap_blocks blocks;
	heap_deaths deaths;
	heap_chunk *kept;              /**< The first chunk that was not given back; the others follow. */
	heap_chunk *chunk;             /**< The first chunk that was not read to its end. */
	uint32_t word_index;           /**< Index of the next word to read in that chunk. */
	uint64_t read_object;          /**< As heap_recording::last_object, for the words that were read. */
	const heap_chunk *until_chunk; /**< The chunk where this round stops: the last one when it began. */
	uint32_t until_word;           /**< The word in that chunk before which the round stops. */
	uint64_t until_counter;        /**< Allocations before it were drained before heap_drain_run(). */
	uint64_t lost_seen;            /**< The part of heap_recording::lost that was counted. */
	uint32_t next_number;          /**< Number of the last snapshot, unless collections number them. */
	uint32_t class_stamp;          /**< Changes whenever a key may have got another ID. */
	heap_class classes[HEAP_CLASSES];
} heap_drain;

/** Call it after heap_recording_init(), keys_init() and root_table_init(). Allocates no memory yet. */
void heap_drain_init(heap_drain *heap, recorder_shared *shared, recorder_keys *keys, root_table *roots,
		     int track_objects);

/**
 * Continues a snapshot of a process that has ended: reads the list of chunks from \p first on, beginning at \p word,
 * which is the index of a record. \p last is the last chunk. Call it before anything was read.
 */
void heap_drain_resume(heap_drain *heap, heap_chunk *first, uint32_t word, heap_chunk *last);

/** Frees its memory and the remaining chunks. \p heap may be all zero. */
void heap_drain_destroy(heap_drain *heap);

/** Call it first in a round, before any buffer of a thread is examined. */
void heap_drain_begin(heap_drain *heap);

/**
 * Writes what was recorded up to heap_drain_begin(). If heap_deaths::is_tracking, all that threads had published then
 * must have been drained, also from buffers that are not full. Without \p all it may leave a part of a long snapshot to
 * the next round, which it requests, so that threads do not wait for their buffers. \p is_last: a snapshot that was not
 * ended is incomplete. Returns 0 if a part of a snapshot is left.
 */
int heap_drain_run(heap_drain *heap, int all, int is_last);

/**
 * Writes a part of what heap_drain_run() would write, as much as in a round without \p all. Returns 0 if there is more.
 * The caller commits what is in the log, and calls heap_drain_give_back().
 */
int heap_drain_advance(heap_drain *heap);

/**
 * Gives the chunks back that were read. If they are in an area, only after a commit: until then, recovery needs them.
 */
void heap_drain_give_back(heap_drain *heap);

#endif
