/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/heap_snapshots.h
 * \brief Heap snapshots: the number of live objects of each class at one time, and the number of roots.
 */
#ifndef MODEL_RECORDS_HEAP_SNAPSHOTS_H
#define MODEL_RECORDS_HEAP_SNAPSHOTS_H

#include <mprof/parser.h>
#include <mprof/profile.h>

#include "base/allocator.h"
#include "model/records/record_table.h"

typedef struct heap_class_record {
	uint32_t class_id;
	uint64_t objects;
	uint64_t bytes;
} heap_class_record;

typedef struct heap_snapshot_record {
	uint32_t number;
	int is_incomplete;
	int is_ended;
	uint64_t counter;
	uint64_t process; /**< 0 if the log has only one. */
	uint64_t objects;
	uint64_t bytes;
	uint64_t references;
	uint64_t freed;
	uint64_t freed_bytes;
	uint64_t synthetic;                     /**< Objects that are no memory, which count as objects. */
	uint64_t moved;                         /**< Since the previous snapshot. */
	uint64_t roots[MPROF_ROOT_RUNTIME + 1]; /**< By kind; unknown kinds count as #MPROF_ROOT_OTHER. */
	heap_class_record *classes;             /**< In the order of IDs; allocated with exactly that size. */
	size_t class_count;
} heap_snapshot_record;

typedef struct heap_snapshot_list {
	hash_map numbers; /**< Indices of records, by the number of the snapshot. */
	heap_snapshot_record *records;
	size_t count;
	size_t capacity;
	size_t current;        /**< Index of the snapshot that the current block belongs to; SIZE_MAX if it belongs to
	                            none. */
	record_table gathered; /**< heap_class_record that are not yet in the classes of their snapshot. */
	size_t gathered_for;   /**< Index of that snapshot; SIZE_MAX if none. */
	hash_map flagged;      /**< Addresses of the objects of a snapshot that are no memory. */
	size_t flagged_for;    /**< Index of that snapshot; SIZE_MAX if none. */
	uint64_t freed;        /**< Objects freed in all blocks, also those of no snapshot; likewise the next two. */
	uint64_t freed_bytes;
	uint64_t moved;
	uint64_t moved_before_next; /**< Moves in blocks of no snapshot since the last snapshot began. They count in
	                                 the next one. */
} heap_snapshot_list;

void heap_snapshots_init(heap_snapshot_list *all, const mprof_allocator *allocator);
void heap_snapshots_destroy(heap_snapshot_list *all);

/** A HEAP_DATA block begins. Returns 0 if there is no memory. */
int heap_snapshots_begin_block(heap_snapshot_list *all, const mprof_block *block);

/** Adds an event of the block. Returns 0 if there is no memory. */
int heap_snapshots_add(heap_snapshot_list *all, const mprof_event *event);

/** Adds records of an OBJECT_LABELS block. Returns 0 if there is no memory. */
int heap_snapshots_add_notes(heap_snapshot_list *all, const mprof_block *block, const mprof_record *records,
			     size_t count);

/** A HEAP_DATA block ends. \p is_whole: all of it could be read. Returns 0 if there is no memory. */
int heap_snapshots_end_block(heap_snapshot_list *all, const mprof_block *block, int is_whole);

/**
 * Merges the gathered records into the classes of their snapshot. More may be added afterwards. Returns 0 if there is
 * no memory.
 */
int heap_snapshots_merge_gathered(heap_snapshot_list *all);

typedef struct heap_summary_record {
	uint32_t collection;
	uint32_t class_id;
	uint64_t counter;
	mprof_summary_record sums;
} heap_summary_record;

typedef struct heap_summary_list {
	mprof_allocator allocator;
	heap_summary_record *records;
	size_t count;
	size_t capacity;
} heap_summary_list;

void heap_summaries_init(heap_summary_list *all, const mprof_allocator *allocator);
void heap_summaries_destroy(heap_summary_list *all);

/** Adds records of a HEAP_SUMMARY block. Returns 0, changing nothing, if there is no memory. */
int heap_summaries_add(heap_summary_list *all, const mprof_block *block, const mprof_record *records, size_t count);

#endif
