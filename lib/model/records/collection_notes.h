/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/collection_notes.h
 * \brief What events of the types mprof.gc and mprof.gc.phase state about collections: the collector, the cause, and
 * which phases are pauses (doc/format.md, 4.11).
 */
#ifndef MODEL_RECORDS_COLLECTION_NOTES_H
#define MODEL_RECORDS_COLLECTION_NOTES_H

#include <mprof/format.h>
#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/id_map.h"

typedef struct collection_note {
	char *name;     /**< NULL if not in the log. */
	char *cause;    /**< NULL if not in the log. */
	uint64_t pause; /**< Time of the phases that are pauses, in counters. */
	int has_phases;
} collection_note;

typedef struct collection_notes {
	mprof_allocator allocator;
	id_map types;     /**< What events of a type are, plus 1. */
	hash_map indices; /**< By number of the collection: the index of its note. */
	collection_note *notes;
	size_t count;
	size_t capacity;
} collection_notes;

void collection_notes_init(collection_notes *all, const mprof_allocator *allocator);
void collection_notes_destroy(collection_notes *all);

/** Adds an event of a type that the log describes. Returns 0 if there is no memory. */
int collection_notes_add(collection_notes *all, const mprof_reader *reader, const mprof_event *event);

/** The note of a collection, or NULL. */
const collection_note *collection_notes_find(const collection_notes *all, uint64_t number);

#endif
