/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/roots.h
 * \brief The areas of memory that contain roots of the collector. Owner: the writer thread.
 *
 * Areas change often and are looked up seldom, so changes are appended, and merged when a heap snapshot looks up an
 * area or there are many. All areas get IDs and are written when one without an ID is looked up.
 */
#ifndef RECORDER_TABLES_ROOTS_H
#define RECORDER_TABLES_ROOTS_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/queues/message_queue.h"
#include "recorder/tables/keys.h"

/** An area, or that one was unregistered. */
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
	uint32_t order;   /**< Position among the changes, for sorting. */
	uint64_t gone;    /**< ... at this counter. */
} root_entry;

/** A root that is in no area, but has a name. */
typedef struct named_root {
	uint64_t hash; /**< Of the kind and the name. */
	char *name;    /**< Not NUL-terminated. */
	uint32_t length;
	uint32_t kind;
	uint32_t id; /**< It is in the log. */
} named_root;

typedef struct root_table {
	mprof_allocator allocator;
	recorder_keys *keys; /**< For the classes of areas, and the output. */
	root_entry *entries;
	size_t count;
	size_t capacity;
	size_t sorted;    /**< The first entries, this many, are sorted by start and have different starts. */
	uint32_t next_id; /**< The last ID assigned; IDs are dense, from 1. */
	int has_gone;     /**< At least one sorted area is unregistered. */
	named_root *named;
	size_t named_count;
	size_t named_capacity;
	hash_index names; /**< Positions in named. */
} root_table;

/** Allocates no memory yet. */
void root_table_init(root_table *roots, const mprof_allocator *allocator, recorder_keys *keys);
void root_table_destroy(root_table *roots);

/** Adds a registered or unregistered area. Without memory the change is ignored. */
void root_table_change(root_table *roots, const message *changed);

/** Appends all areas and their IDs to the journal. */
void root_table_write_journal(root_table *roots);

/** Applies an entry of the journal of a process that has ended. Returns 0 if there is no memory. */
int root_table_recover(root_table *roots, const journal_entry *entry);

/**
 * Removes areas that were unregistered before a counter. Call it when all heap snapshots before the counter are
 * written.
 */
void root_table_forget(root_table *roots, uint64_t counter);

/**
 * Returns the ID of the area that contained an address at a counter, and stores its kind. The area is in the log when
 * this returns. Returns 0 and leaves \p kind unchanged if not found. May write blocks: do not call it inside a
 * block.
 */
uint32_t root_table_find_id(root_table *roots, uint64_t slot, uint64_t counter, mprof_root_kind *kind);

/**
 * Returns the ID of a root with a kind and a name, which is in the log when this returns; 0 without a name, without
 * memory, or if there are too many. May write blocks, as root_table_find_id().
 */
uint32_t root_table_name_id(root_table *roots, uint32_t kind, const char *name, uint32_t length);

#endif
