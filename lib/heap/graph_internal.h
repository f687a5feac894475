/* SPDX-License-Identifier: MIT */
/**
 * \file heap/graph_internal.h
 * \brief The state of a heap graph.
 *
 * gathered_heap.c takes the objects of a snapshot, object_graph.c links them, by address_set.c, and snapshot_list.c
 * has the snapshots of the log. dominators.c computes what is retained, and root_paths.c what refers to an object and
 * what keeps it alive. graph.c and set.c answer the calls of clients. diff.c compares snapshots, with shape_search.c
 * where addresses do not identify objects.
 */
#ifndef HEAP_GRAPH_INTERNAL_H
#define HEAP_GRAPH_INTERNAL_H

#include "heap/dominators.h"
#include "heap/root_paths.h"
#include "heap/snapshot_list.h"

#include <mprof/heap.h>

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
	dominators dominators;
	root_paths paths;
	referrers referrers;
	mprof_progress_function progress;
	void *progress_user;
	mprof_event batch[GRAPH_BATCH];
};

#endif
