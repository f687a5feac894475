/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/key_fields.h
 * \brief Keeps the fields of classes until the first object of the class is in a heap snapshot. Writer thread.
 */
#ifndef RECORDER_KEY_FIELDS_H
#define RECORDER_KEY_FIELDS_H

#include "recorder/keys.h"

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
