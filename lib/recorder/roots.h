/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/roots.h
 * \brief The areas of memory from which the collector starts. All of this is the writer thread's.
 *
 * Areas come and go often and are looked for seldom: changes are gathered as they come, and sorted in when a heap
 * snapshot asks or there are many. Areas get their IDs, and go into the log, when one that is not there is asked for.
 */
#ifndef RECORDER_ROOTS_H
#define RECORDER_ROOTS_H

#include <mprof/recorder.h>

#include "recorder/keys.h"
#include "recorder/message_queue.h"

/** An area, or the end of one. */
typedef struct root_entry {
	uint64_t start;
	uint64_t size;
	uint64_t thread;
	mprof_key class_key;
	uint64_t counter; /**< When it was registered. */
	char *name;       /**< Own copy; NULL for "". */
	uint32_t kind;
	uint32_t id;      /**< 0 until it is in the log. */
	uint32_t is_gone; /**< It was unregistered, ... */
	uint32_t order;   /**< In the order of the changes, to sort by. */
	uint64_t gone;    /**< ... at this counter. */
} root_entry;

typedef struct root_table {
	mprof_allocator allocator;
	recorder_keys *keys; /**< For the classes of areas, and their output. */
	root_entry *entries;
	size_t count;
	size_t capacity;
	size_t sorted;    /**< That many at the start are sorted by their starts, which differ. */
	uint32_t next_id; /**< IDs are dense; the first is 1 more. */
	int has_gone;     /**< At least one sorted area is unregistered. */
} root_table;

/** Takes no memory yet. */
void root_table_init(root_table *roots, const mprof_allocator *allocator, recorder_keys *keys);
void root_table_destroy(root_table *roots);

/** Adds a registered or unregistered area. Without memory an area is not known. */
void root_table_change(root_table *roots, const message *changed);

/** Forgets areas that were gone before a counter, when no heap snapshot is left that was made before it. */
void root_table_forget(root_table *roots, uint64_t counter);

/**
 * The ID of the area that held an address at a counter, and its kind; it is in the log when this returns. 0, with \p
 * kind left as it was, if there is none. May write blocks: not to be called inside of one.
 */
uint32_t root_table_find_id(root_table *roots, uint64_t slot, uint64_t counter, mprof_root_kind *kind);

#endif
