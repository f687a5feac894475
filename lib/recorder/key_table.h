/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/key_table.h
 * \brief Which ID a key has. Used by the writer thread alone.
 *
 * A key gets its ID when the first event that uses it is drained. The key of a structure that was freed may come again
 * for another one: each definition is a version of the key, valid from the counter at which it was made.
 */
#ifndef RECORDER_KEY_TABLE_H
#define RECORDER_KEY_TABLE_H

#include <mprof/recorder.h>

#include "base/allocator.h"

/** Whether a key can stand in the table: 0 marks an empty place, and an ID that the client chose must fit one. */
static inline int key_is_valid(mprof_key key, int keys_are_ids)
{
	return key != 0 && key < (keys_are_ids ? (uint64_t)UINT32_MAX : UINT64_MAX);
}

/** What stands in the table for all keys that are not valid. */
static inline mprof_key key_for_none(int keys_are_ids)
{
	return keys_are_ids ? UINT32_MAX : UINT64_MAX;
}

/** A definition of a key. */
typedef struct key_version {
	uint64_t since;      /**< Events before this counter mean the version before. */
	uint64_t name_hash;  /**< Of name, owner and flags: tells a repeated definition from a new one. */
	mprof_key owner;     /**< A method's class, a class's assembly. */
	char *name;          /**< Own copy; NULL once the definition was written. */
	size_t name_length;
	uint32_t flags;
	uint32_t id;         /**< 0 until it is used. */
	uint32_t previous;   /**< Number of the version before, 0 if none. */
} key_version;

/** A key's place in the table: all that the common case needs, in 16 bytes. */
typedef struct key_entry {
	mprof_key key;         /**< 0: empty. */
	uint32_t id;           /**< Of the only version; 0 if it has none yet, or if there are several versions. */
	uint32_t version;      /**< Number of the newest version. */
} key_entry;

typedef struct key_table {
	mprof_allocator allocator;
	key_entry *entries;
	size_t capacity;       /**< A power of two. */
	size_t count;
	uint32_t shift;        /**< 64 - log2(capacity). */
	key_version *versions; /**< By number; number 0 is not used. */
	size_t version_count;
	size_t version_capacity;
	uint32_t next_id;      /**< IDs are dense, from 1. */
	int keys_are_ids;
} key_table;

/** Returns 0 if there is no memory. */
int key_table_init(key_table *table, const mprof_allocator *allocator, int keys_are_ids);
void key_table_destroy(key_table *table);

/** Adds a definition unless it repeats the newest one. The name is copied. Returns 0 if there is no memory. */
int key_table_define(key_table *table, mprof_key key, mprof_key owner, uint32_t flags, const char *name,
		     size_t name_length, uint64_t since);

/** A key's place, or NULL if it was never defined. */
static inline key_entry *key_table_find(const key_table *table, mprof_key key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> table->shift);

	for (;; i = (i + 1) & (table->capacity - 1)) {
		if (table->entries[i].key == key)
			return &table->entries[i];
		if (table->entries[i].key == 0)
			return NULL;
	}
}

/** The version of a key at a counter. */
key_version *key_table_version(const key_table *table, const key_entry *entry, uint64_t counter);

/** Gives a version its ID. */
uint32_t key_table_assign(key_table *table, key_entry *entry, key_version *version);

/** Frees a version's name, which is in the log now. */
void key_table_forget_name(key_table *table, key_version *version);

#endif
