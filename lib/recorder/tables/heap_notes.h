/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/heap_notes.h
 * \brief Collects labels, flags, names and weak references of a heap snapshot into blocks. Writer thread.
 */
#ifndef RECORDER_TABLES_HEAP_NOTES_H
#define RECORDER_TABLES_HEAP_NOTES_H

#include <mprof/format.h>

#include "base/allocator.h"
#include "recorder/tables/output.h"

typedef struct heap_notes {
	mprof_allocator allocator;
	mprof_record *records; /**< NULL before the first one. */
	char *bytes;           /**< The texts of labels, NUL-terminated. */
	uint32_t label_count;  /**< Records of OBJECT_LABELS, from the first on. */
	uint32_t name_count;   /**< Records of REFERENCE_NAMES, in the second half. */
	uint32_t byte_count;
} heap_notes;

/** Allocates nothing yet. */
void heap_notes_init(heap_notes *notes, const mprof_allocator *allocator);
void heap_notes_destroy(heap_notes *notes);

static inline uint32_t heap_notes_count(const heap_notes *notes)
{
	return notes->label_count + notes->name_count;
}

/** Whether there is room for another record, with a text of \p length bytes. */
int heap_notes_has_room(const heap_notes *notes, size_t length);

/**
 * Adds a record, for which there is room. \p text: of a label, copied; NULL if it has none of its own. Returns 0 if
 * there is no memory.
 */
int heap_notes_add(heap_notes *notes, const mprof_record *record, const char *text, size_t length);

/** Writes the records as blocks of a heap snapshot, and removes them. Returns 0 if they are not in the log. */
int heap_notes_write(heap_notes *notes, recorder_output *output, uint32_t snapshot);

#endif
