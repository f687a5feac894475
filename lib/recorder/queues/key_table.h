/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/key_table.h
 * \brief Maps keys to IDs. Owner: the writer thread.
 *
 * A key gets its ID when the first event that uses it is drained. The key of a structure that was freed may be used
 * again for another one, so each definition is a version of the key, valid from the counter at which it was made. A
 * retired key has no version until it is defined again, independently of its earlier versions.
 */
#ifndef RECORDER_QUEUES_KEY_TABLE_H
#define RECORDER_QUEUES_KEY_TABLE_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/queues/class_fields.h"

/**
 * Whether the table can contain a key: 0 marks an empty entry, and a key that is an ID chosen by the client must fit 32
 * bits.
 */
static inline int key_is_valid(mprof_key key, int keys_are_ids)
{
	return key != 0 && key < (keys_are_ids ? (uint64_t)UINT32_MAX : UINT64_MAX);
}

/** The entry that represents all invalid keys. */
static inline mprof_key key_for_none(int keys_are_ids)
{
	return keys_are_ids ? UINT32_MAX : UINT64_MAX;
}

/** The definition of a key. */
typedef struct key_definition {
	mprof_key owner; /**< A method's class, a class's assembly. */
	const char *name;
	size_t name_length;
	uint32_t flags;          /**< Methods. */
	uint32_t object_size;    /**< Classes. */
	const char *source_file; /**< Methods: NULL if not known. */
	size_t source_file_length;
	uint32_t source_line;
	uint64_t since; /**< For events before this counter the previous definition applies, if there is one. */
} key_definition;

/** A version of a key: a definition, and what the log has of it. */
typedef struct key_version {
	key_definition definition; /**< The names are copies; NULL once the definition was written. */
	uint64_t hash;     /**< Of all but counter and size: distinguishes a repeated definition from a new one. */
	uint32_t id;       /**< 0 until it is used. */
	uint32_t previous; /**< Number of the previous version, 0 if none. In a free version, the next free number. */
	class_fields *fields; /**< Fields of a class that are not queued for the log yet; may be NULL. */
	int has_fields;       /**< Fields were defined. */
} key_version;

/** An entry of the table: everything that the common case needs, in 16 bytes. */
typedef struct key_entry {
	mprof_key key;    /**< 0: empty. */
	uint32_t id;      /**< ID of the only version; 0 if it has none yet, or if there are several versions. */
	uint32_t version; /**< Number of the newest version; 0 if the key was retired and not defined again. */
} key_entry;

typedef struct key_table {
	mprof_allocator allocator;
	hash_index entries;    /**< Of #key_entry; includes retired keys. */
	size_t retired;        /**< Keys that were retired and not defined again. */
	key_version *versions; /**< By number; number 0 is not used. */
	size_t version_count;
	size_t version_capacity;
	uint32_t free_version; /**< The first number that was freed, 0 if none. */
	uint32_t next_id;      /**< IDs are dense, from 1. */
	int keys_are_ids;
} key_table;

/** Returns 0 if there is no memory. */
int key_table_init(key_table *table, const mprof_allocator *allocator, int keys_are_ids);
void key_table_destroy(key_table *table);

/** The result of key_table_define(). */
typedef enum key_change {
	KEY_NO_MEMORY,
	KEY_AS_BEFORE, /**< The definition repeats the newest one. */
	KEY_ADDED,     /**< The key had none. */
	KEY_CHANGED    /**< The key has another meaning from now on. */
} key_change;

/** Adds a definition unless it repeats the newest one. The name is copied. */
key_change key_table_define(key_table *table, mprof_key key, const key_definition *definition);

/**
 * Removes all definitions of the keys in ranges, which are sorted and disjoint. IDs chosen by the client never change
 * their meaning, so for them this does nothing.
 */
void key_table_retire(key_table *table, const mprof_key_range *ranges, size_t count);

/** Whether a key is in one of the ranges, which are sorted and disjoint. */
int key_ranges_hold(const mprof_key_range *ranges, size_t count, mprof_key key);

static inline int key_entry_is_used(const void *slot)
{
	return ((const key_entry *)slot)->key != 0;
}

static inline uint64_t key_entry_hash(const void *owner, const void *slot)
{
	(void)owner;
	return hash_address(((const key_entry *)slot)->key);
}

static inline int key_entry_matches(const void *owner, const void *slot, const void *key)
{
	(void)owner;
	return ((const key_entry *)slot)->key == *(const mprof_key *)key;
}

/** No seed: keys come from the recorded program itself, not from untrusted input. */
static const hash_index_type key_entries = {
	.size = sizeof(key_entry),
	.first_capacity = 1024,
	.used_eighths = 4,
	.is_used = key_entry_is_used,
	.hash = key_entry_hash,
};

/** The entry of a key other than 0, or NULL if it was never defined. It has a version unless the key was retired. */
static inline key_entry *key_table_find(const key_table *table, mprof_key key)
{
	return hash_index_find(&table->entries, &key_entries, hash_address(key), key_entry_matches, table, &key);
}

/** The version of a key at a counter. The key must have one. */
key_version *key_table_version(const key_table *table, const key_entry *entry, uint64_t counter);

/** Assigns the ID of a version. */
uint32_t key_table_assign(key_table *table, key_entry *entry, key_version *version);

/**
 * Assigns the ID that the log has for the version of a key that was defined at a counter. Does nothing for unknown
 * keys.
 */
void key_table_recover_id(key_table *table, mprof_key key, uint64_t since, uint32_t id);

/**
 * Adds the newest version of a key that the log has, with the definition but without its names, as it was after
 * key_table_forget_name(). Returns 0 if there is no memory.
 */
int key_table_recover_version(key_table *table, mprof_key key, const key_version *version);

/** Called for each version of a key. */
typedef void (*key_visitor)(void *user, mprof_key key, const key_version *version);

/** Visits all versions of all keys, those of a key from the oldest to the newest. */
void key_table_visit(key_table *table, key_visitor visitor, void *user);

/** The newest version of a key, which must have one. */
static inline key_version *key_table_newest(const key_table *table, const key_entry *entry)
{
	return &table->versions[entry->version];
}

/** The version of a key that was defined at a counter, or NULL. */
key_version *key_table_version_since(const key_table *table, mprof_key key, uint64_t since);

/** Frees the fields of a version, if it has any. */
void key_table_forget_fields(key_table *table, key_version *version);

/** Frees the name of a version, which is in the log now. */
void key_table_forget_name(key_table *table, key_version *version);

#endif
