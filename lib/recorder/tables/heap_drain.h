/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/heap_drain.h
 * \brief Converts the raw records of heap snapshots to events, sums, and the table of live objects, and finds the
 * objects that died. Writer thread.
 *
 * A round of draining calls heap_drain_begin(), then drains the threads, then calls heap_drain_run(). heap_drain_run()
 * writes only the records that existed at heap_drain_begin(), so all earlier allocations have been drained before.
 */
#ifndef RECORDER_TABLES_HEAP_DRAIN_H
#define RECORDER_TABLES_HEAP_DRAIN_H

#include <mprof/recorder.h>

#include "base/action_queue.h"
#include "base/allocator.h"
#include "base/hash_map.h"
#include "recorder/queues/shared.h"
#include "recorder/tables/heap_blocks.h"
#include "recorder/tables/keys.h"
#include "recorder/tables/roots.h"
#include "recorder/tables/written_types.h"

/*
 * Allocations come from the threads' buffers and wait in a timeline; reports of the collector come from the chunks of
 * the heap, in order. heap_deaths_pass_time() merges the two by their counters.
 */

/** A dead object, as it is reported. */
typedef struct tracked_object {
	uint64_t address;
	uint64_t size;
	uint32_t class_id;
} tracked_object;

/** Called for each object that was found dead. The function must not call the tracker. */
typedef void (*object_death_function)(void *user, const tracked_object *object);

/** An entry of the table. */
typedef struct object_entry {
	uint64_t address; /**< 0: empty. */
	uint32_t class_id;
	uint32_t size_code; /**< The size or, for large ones, its index in large_sizes; and CODE_ flags. */
} object_entry;

/** An object of a heap snapshot that waits until its slot of the table is in the cache. */
#define OBJECT_TRACKER_WAITING 32

typedef struct object_tracker {
	mprof_allocator allocator;
	object_death_function died; /**< Set by the owner, with user, before objects are reported. */
	void *user;
	hash_index entries;   /**< #object_entry. */
	object_entry *moving; /**< The open set of moves: entries with new addresses, not in the table. */
	size_t moving_count;
	size_t moving_capacity;
	uint64_t *large_sizes; /**< Sizes that do not fit an entry; in a free one, the next free index + 1. */
	size_t large_count;
	size_t large_capacity;
	size_t large_free; /**< First free index + 1, 0 if none. */
	tracked_object waiting[OBJECT_TRACKER_WAITING];
	uint32_t waiting_count;
} object_tracker;

/** Allocates no memory yet. */
void object_tracker_init(object_tracker *tracker, const mprof_allocator *allocator);
void object_tracker_destroy(object_tracker *tracker);

/** Adds an allocated object. An object that had the address is dead. */
int object_tracker_allocated(object_tracker *tracker, const tracked_object *object);

/** Moves an object. Successive moves are a set, which any other call ends. */
int object_tracker_moved(object_tracker *tracker, uint64_t from, uint64_t to);

/** Ends a set of moves. */
int object_tracker_end_moves(object_tracker *tracker);

/**
 * Marks an object that a heap snapshot contains as alive, and adds it if it is not known. A known object keeps its
 * size.
 */
int object_tracker_alive(object_tracker *tracker, const tracked_object *object);

/** Removes the object at an address, which is dead. The caller reports that itself. */
int object_tracker_freed(object_tracker *tracker, uint64_t address);

/** Ends a heap snapshot. If it is complete, objects that it does not contain are dead. */
int object_tracker_end_shot(object_tracker *tracker, int is_complete);

/** Removes all objects without reporting them as dead, and frees the memory. Returns how many there were. */
uint64_t object_tracker_forget(object_tracker *tracker);

/** The number of known objects. */
uint64_t object_tracker_count(const object_tracker *tracker);

typedef struct heap_deaths {
	heap_blocks *blocks; /**< Receives the deaths. Borrowed. */
	int is_tracking;     /**< Deaths are found. Each round then drains everything that threads have published. */
	int writes_each; /**< Each death is written as an event: the last snapshot requested it, or there was none. */
	int has_lost_moves;    /**< Moves were not recorded, so the addresses of all objects are unknown. */
	uint64_t counter;      /**< Counter of the deaths that are found now. */
	action_queue timeline; /**< #timeline_entry. */
	object_tracker tracker;
} heap_deaths;

/** Notes an allocation that was drained. \p counter is when it was recorded. */
void heap_deaths_note_allocation(heap_deaths *deaths, uint64_t object, uint32_t class_id, uint64_t size,
				 uint64_t counter);

/** Notes the start of a collection that was drained: moves before and after it belong to different collections. */
void heap_deaths_note_collection(heap_deaths *deaths, uint64_t counter);

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
	const written_types *types; /**< Texts that names refer to. Set by the owner. */
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
