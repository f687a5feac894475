/* SPDX-License-Identifier: MIT */
/**
 * \file import/heap_log.h
 * \brief Writes a heap snapshot object by object.
 *
 * Texts that are passed are borrowed until heap_log_end().
 */
#ifndef IMPORT_HEAP_LOG_H
#define IMPORT_HEAP_LOG_H

#include "common/text_pool.h"
#include "import/import.h"
#include "shared/key_map.h"

/** Events of one block. */
enum { HEAP_LOG_EVENTS = 4096 };

typedef struct heap_log {
	import_job *job;
	uint64_t time;
	uint32_t flags; /**< Of the next block. */
	mprof_event events[HEAP_LOG_EVENTS];
	mprof_event_detail details[HEAP_LOG_EVENTS];
	size_t event_count;
	uint64_t *references, *offsets;
	size_t reference_count, reference_capacity, offset_capacity;
	mprof_record *labels, *names, *new_texts;
	size_t label_count, label_capacity, name_count, name_capacity, new_text_count, new_text_capacity;
	text_pool texts;
	key_map text_ids;  /**< By the address of the pooled text. */
	uint64_t object;   /**< The one that references are added to. */
	uint32_t index;    /**< Of its next reference. */
	int has_offsets;   /**< Its references have offsets. */
	uint32_t roots;    /**< Roots defined so far. */
	uint64_t objects;  /**< Objects written so far. */
	int is_incomplete; /**< Objects are missing. */
} heap_log;

/** Begins the snapshot of a log. All fields are 0 before. */
void heap_log_begin(heap_log *heap, import_job *job, uint64_t time);

/** Adds an object. Its references follow. \p has_offsets: all of them have one. */
void heap_log_add_object(heap_log *heap, uint32_t class_id, uint64_t address, uint64_t size, int has_offsets);

/** Adds a reference of the last object. \p name: NULL if it has none. */
void heap_log_add_reference(heap_log *heap, uint64_t target, uint64_t offset, const char *name);

/** Adds a reference that keeps nothing alive. */
void heap_log_add_weak_reference(heap_log *heap, uint64_t object, uint64_t target, const char *name);

/** States what an object is: its text if it is not NULL, and whether it is no memory of the program. */
void heap_log_add_label(heap_log *heap, uint64_t object, const char *text, int is_synthetic);

/** Defines a root with a name. Returns its ID. */
uint32_t heap_log_define_root(heap_log *heap, uint32_t kind, uint64_t thread, const char *name);

/** Adds a root of an object. \p root: its ID, 0 if it has no name. */
void heap_log_add_root(heap_log *heap, uint32_t kind, uint32_t root, uint64_t object);

/** A copy of a text that exists as long as the snapshot. */
const char *heap_log_keep_text(heap_log *heap, const char *text);

/** Ends the snapshot, and frees all. */
void heap_log_end(heap_log *heap);

#endif
