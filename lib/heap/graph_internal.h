/* SPDX-License-Identifier: MIT */
/**
 * \file heap/graph_internal.h
 * \brief The state of a heap graph.
 *
 * object_graph.c gathers the objects of a snapshot and links them, by address_set.c. dominators.c computes what is
 * retained, and object_notes.c keeps what the log adds to single objects. graph.c lists the snapshots of the log, finds
 * what refers to an object and what keeps it alive, and answers the calls of clients, with set.c. diff.c compares
 * snapshots, with shape_search.c where addresses do not identify objects.
 */
#ifndef HEAP_GRAPH_INTERNAL_H
#define HEAP_GRAPH_INTERNAL_H

#include "base/memory_budget.h"
#include "base/progress.h"
#include "heap/dominators.h"
#include "heap/object_graph.h"
#include "heap/object_notes.h"

#include <mprof/heap.h>

/*
 * A shortest path from a root to each object. Among roots at the same distance, static fields come first and objects
 * that wait to be finalized last: see root_rank().
 */

/** In place of a reference: the object is a root's own. */
#define ROOT_PATHS_ROOT UINT32_MAX
/** In place of a reference: no root reaches the object. */
#define ROOT_PATHS_UNREACHABLE (UINT32_MAX - 1)

typedef struct root_paths {
	uint32_t *references; /**< By object: the reference that leads to it. NULL before root_paths_build(). */
	uint64_t reachable_objects;
	uint64_t reachable_bytes;
} root_paths;

typedef struct referrers {
	uint32_t *first;      /**< By object: the first element in references; one more for the end of the last. NULL
	                           before referrers_build(). */
	uint32_t *references; /**< References by target, in ascending order. */
	uint32_t count;       /**< Elements of references. */
} referrers;

/** Not the index of a snapshot. */
#define SNAPSHOT_NONE SIZE_MAX

typedef struct snapshot_record {
	uint32_t number;   /**< In the log; 0 if it has none. */
	int is_incomplete; /**< A part is missing. */
	int is_ended;      /**< Its last block was read. */
	uint64_t counter;
	int64_t time_ns;
	uint64_t objects;
	uint64_t bytes;
	uint64_t references;
	uint64_t orphan_references; /**< Set for the snapshot that was gathered. */
	uint64_t roots;
} snapshot_record;

/** The heap snapshots of a log: which blocks belong to which one, and whether all of it is there. */
typedef struct snapshot_list {
	memory_budget *budget;
	hash_map indices; /**< By number: the index of the latest snapshot with it. */
	snapshot_record *records;
	size_t count;
	size_t capacity;
} snapshot_list;

/** Number of events fetched in one call. */
#define GRAPH_BATCH 256

struct mprof_heap_graph {
	memory_budget budget;
	uint32_t wanted; /**< Which snapshot, from 1; 0: the last. */
	int is_list_only;
	int is_read;              /**< Reading has ended. */
	mprof_status failed;      /**< #MPROF_ERR_LIMIT or #MPROF_ERR_MEMORY if reading ended because of it. */
	mprof_status first_fault; /**< The first error in the log so far, if reading was interrupted. */
	uint64_t damaged_blocks;
	snapshot_list snapshots;
	size_t gathered_for; /**< Index of the snapshot that is gathered, or in the graph; #SNAPSHOT_NONE. */
	gathered_heap gathered;
	object_graph linked;  /**< While the objects are linked. */
	int is_linking;       /**< It was stopped; first_fault is the result of reading. */
	object_graph objects; /**< Empty until they are linked. */
	object_notes notes;   /**< Of the snapshot that is gathered or in the graph. */
	dominators dominators;
	root_paths paths;
	referrers referrers;
	mprof_progress_function progress;
	void *progress_user;
	mprof_event batch[GRAPH_BATCH];
};

#endif
