/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/keys.h
 * \brief Maps the keys of methods, classes, and code units to the IDs of the log, and writes the fields of classes.
 *
 * Owner: the writer thread. An ID is assigned, and its definition given to the mprof_writer, when the first use of the
 * key is drained, so what is written after that may use it.
 */
#ifndef RECORDER_TABLES_KEYS_H
#define RECORDER_TABLES_KEYS_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/queues/class_fields.h"
#include "recorder/queues/key_table.h"
#include "recorder/queues/message_queue.h"
#include "recorder/queues/salvage_journal.h"
#include "recorder/queues/shared.h"
#include "recorder/tables/native_code.h"
#include "recorder/tables/output.h"

/*
 * They are collected so that the classes of a HEAP_DATA block share a FIELDS block.
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
