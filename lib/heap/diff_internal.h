/* SPDX-License-Identifier: MIT */
/**
 * \file heap/diff_internal.h
 * \brief The state of a comparison of heap snapshots.
 */
#ifndef HEAP_DIFF_INTERNAL_H
#define HEAP_DIFF_INTERNAL_H

#include "base/memory_budget.h"
#include "heap/shape_search.h"

#include <mprof/heap_diff.h>

/** The objects of a class in one snapshot. */
typedef struct diff_class {
	uint64_t objects;
	uint64_t bytes;
	uint64_t reachable_objects;
	uint64_t reachable_bytes;
	uint64_t retained_bytes;
} diff_class;

typedef struct diff_snapshot {
	mprof_heap_diff_snapshot facts;
	diff_class *classes; /**< By number of the class's name; classes that were added later have no objects. */
	size_t class_count;
	shape_sums shapes;
	uint64_t usual_count; /**< mprof_session::snapshots_before_shutdown of its log, as known so far. */
} diff_snapshot;

struct mprof_heap_diff {
	memory_budget budget;
	name_pool class_names; /**< The numbers of names are those of classes. */
	name_pool names;       /**< Of fields and roots. */
	shape_table shapes;
	diff_snapshot *snapshots;
	size_t count;
	size_t capacity;
	uint32_t end; /**< An #mprof_heap_diff_end. */
	mprof_progress_function progress;
	void *progress_user;
};

#endif
