/* SPDX-License-Identifier: MIT */
/**
 * \file heap/snapshot_list.h
 * \brief The heap snapshots of a log: which blocks belong to which one, and whether all of it is there.
 */
#ifndef HEAP_SNAPSHOT_LIST_H
#define HEAP_SNAPSHOT_LIST_H

#include "base/memory_budget.h"

#include <mprof/parser.h>

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

typedef struct snapshot_list {
	memory_budget *budget;
	hash_map indices; /**< By number: the index of the latest snapshot with it. */
	snapshot_record *records;
	size_t count;
	size_t capacity;
} snapshot_list;

/** The budget must stay at its address. */
void snapshot_list_init(snapshot_list *list, memory_budget *budget);
void snapshot_list_destroy(snapshot_list *list);

/**
 * Finds the snapshot that a loaded HEAP_DATA block belongs to, or adds it. \p index is #SNAPSHOT_NONE if the block
 * belongs to none. Returns #MPROF_OK; #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY.
 */
mprof_status snapshot_list_find(snapshot_list *list, const mprof_block *block, size_t *index);

/** Counts an event of a block of the snapshot. */
void snapshot_record_count(snapshot_record *record, const mprof_event *event);

/** A block was read to its end, or not (\p is_whole). */
void snapshot_record_end_block(snapshot_record *record, const mprof_block *block, int is_whole);

/** A block that may belong to any snapshot could not be read: those that have not ended are incomplete. */
void snapshot_list_note_damage(snapshot_list *list);

#endif
