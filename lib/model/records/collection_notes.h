/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/collection_notes.h
 * \brief What events of the types mprof.gc, mprof.gc.phase and mprof.gc.generation state about collections: the
 * collector, the cause, which phases are pauses, and the sizes of generations (doc/format.md, 4.11).
 */
#ifndef MODEL_RECORDS_COLLECTION_NOTES_H
#define MODEL_RECORDS_COLLECTION_NOTES_H

#include "base/hash_map.h"
#include "model/records/meanings.h"

typedef struct collection_note {
	char *name;     /**< NULL if not in the log. */
	char *cause;    /**< NULL if not in the log. */
	uint64_t pause; /**< Time of the phases that are pauses, in counters. */
	int has_phases;
	int has_pinned;
	uint64_t pinned_objects;
	uint64_t pinned_bytes;
} collection_note;

/** What an event states about a generation at a collection. */
typedef struct generation_note {
	uint64_t collection;
	char *name; /**< NULL if not in the log. */
	uint64_t before;
	uint64_t after;
	uint64_t capacity;
	int has_before;
	int has_after;
	int has_capacity;
} generation_note;

typedef struct collection_notes {
	mprof_allocator allocator;
	hash_map indices; /**< By number of the collection: the index of its note. */
	collection_note *notes;
	size_t count;
	size_t capacity;
	generation_note *generations; /**< In the order of the log. */
	size_t generation_count;
	size_t generation_capacity;
} collection_notes;

void collection_notes_init(collection_notes *all, const mprof_allocator *allocator);
void collection_notes_destroy(collection_notes *all);

/** Adds an event if it states something about a collection. Returns 0 if there is no memory. */
int collection_notes_add(collection_notes *all, const meaning_event *known);

/** The note of a collection, or NULL. */
const collection_note *collection_notes_find(const collection_notes *all, uint64_t number);

#endif
