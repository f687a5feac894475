/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/keys.h
 * \brief Maps the keys of methods, classes, and code units to the IDs of the log, and writes the fields of classes.
 *
 * Owner: the writer thread. An ID is assigned, and its definition given to the mprof_writer, when the first use of the
 * key is drained, so what is written after that may use it.
 *
 * The key of a structure that was freed may be used again for another one, so each definition is a version of the key,
 * valid from the counter at which it was made. A retired key has no version until it is defined again, independently of
 * its earlier versions.
 */
#ifndef RECORDER_TABLES_KEYS_H
#define RECORDER_TABLES_KEYS_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/queues/message_queue.h"
#include "recorder/queues/salvage_journal.h"
#include "recorder/queues/shared.h"
#include "recorder/tables/native_code.h"
#include "recorder/tables/output.h"

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
 * The fields of classes whose objects come next in a heap snapshot, and which are not in the log yet. They are
 * collected so that the classes of a HEAP_DATA block share a FIELDS block.
 */
typedef struct field_queue {
	mprof_allocator allocator;
	class_fields *first;
	class_fields **last; /**< Where the next one is linked. */
} field_queue;

/** Writes all fields. What cannot be written is discarded: it is no longer needed. */
void field_queue_write(field_queue *queue, recorder_output *output);

/** What the subject of an event is. The first two are indices into recorder_keys::tables. */
typedef enum key_subject { SUBJECT_METHOD, SUBJECT_CLASS, SUBJECT_VALUE } key_subject;

typedef struct recorder_keys {
	const recorder_shared *shared; /**< For its constants. */
	recorder_output *output;
	mprof_resolve_function resolve[2]; /**< By key_subject; may be NULL. Constant, as the next. */
	void *resolve_user;
	native_code *functions;  /**< Names keys of functions; NULL if keys are not those of functions. Constant. */
	int is_resolving;        /**< The client's function is being called. */
	key_table tables[2];     /**< By key_subject. */
	salvage_journal journal; /**< Of all that changes them. */
	field_queue fields;      /**< Fields of classes in the next HEAP_DATA block. */
	hash_map elements;       /**< Element key → element ID. */
	uint32_t next_element_id;
	uint32_t no_class_id;     /**< ID of the class that represents no class; 0 before it is used. */
	uint64_t unresolved;      /**< Number of keys without any definition. */
	uint32_t generation;      /**< Incremented when IDs of keys that were used may not apply any more. */
	uint64_t methods_changed; /**< The last counter at which a method's key changed its meaning. */
} recorder_keys;

/** Returns 0 if there is no memory; call keys_destroy() also in this case. */
int keys_init(recorder_keys *keys, const recorder_shared *shared, recorder_output *output);
void keys_destroy(recorder_keys *keys);

/**
 * Adds the definition of a class or a method. Without memory, the key counts as undefined. A message without a name
 * states that the definition was lost.
 */
void keys_define(recorder_keys *keys, const message *defined);

/** Adds a definition that the client's function makes while it is called. On the writer thread. */
void keys_define_while_resolving(recorder_keys *keys, key_subject subject, mprof_key key,
				 const mprof_description *description, uint64_t counter);

/** Writes that an element was loaded or unloaded. A message without a name states that the element was lost. */
void keys_write_element(recorder_keys *keys, const message *taken);

/** Removes all definitions of the keys in ranges, which are sorted and disjoint, from a counter on. */
void keys_retire(recorder_keys *keys, const mprof_key_range *ranges, size_t count, uint64_t counter);

/** Removes all definitions: later ones were lost, and it is not known which. */
void keys_lose_all(recorder_keys *keys);

/** Applies an entry of the journal of a process that has ended. Returns 0 if there is no memory. */
int keys_recover(recorder_keys *keys, const journal_entry *entry);

/** Appends all definitions and IDs to the journal. */
void keys_write_journal(recorder_keys *keys);

/**
 * The ID of a method at a counter. An invalid key is the method "(no key)"; in a call stack it is 0 instead, and not
 * looked up. Returns 0 if there is no memory.
 */
uint32_t keys_method_id(recorder_keys *keys, mprof_key key, uint64_t counter);

/** The ID of a class at a counter; 0 if there is no memory. An invalid key is the class "(no key)". */
uint32_t keys_class_id(recorder_keys *keys, mprof_key key, uint64_t counter);

/** Adds the fields of a class that is defined and has none. Without memory, the fields have no names. */
void key_fields_define(recorder_keys *keys, const message *defined);

/**
 * Called when the next HEAP_DATA block may contain an object of a class at a counter. If the fields of the class are
 * not in the log, they are queued: see field_queue.
 */
void key_fields_use(recorder_keys *keys, mprof_key key, uint64_t counter);

/** Appends all fields that are not in the log to the journal. Call it after keys_write_journal(). */
void key_fields_write_journal(recorder_keys *keys);

/** Applies an entry of the journal of a process that has ended. Returns 0 if there is no memory. */
int key_fields_recover(recorder_keys *keys, const journal_entry *entry);

#endif
