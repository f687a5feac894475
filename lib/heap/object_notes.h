/* SPDX-License-Identifier: MIT */
/**
 * \file heap/object_notes.h
 * \brief What OBJECT_LABELS and REFERENCE_NAMES blocks add to a heap snapshot: labels and flags of objects, names of
 * references, weak references (doc/format.md, 3.34 and 3.35).
 *
 * They are gathered by address while the snapshot is read, and attached to its objects when these are numbered. All of
 * them are sorted lists beside the arrays of the graph: few objects have any, and the analysis of the strong references
 * does not see them.
 */
#ifndef HEAP_OBJECT_NOTES_H
#define HEAP_OBJECT_NOTES_H

#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "heap/object_graph.h"

/** A text. Equal texts are stored once. */
typedef struct note_text {
	char *text;
	uint64_t hash;
} note_text;

/** A record as it was read. Which fields have a meaning depends on the list. */
typedef struct gathered_note {
	uint64_t object;   /**< Its address. */
	uint64_t target;   /**< Of a weak reference: the address of the other object. */
	uint32_t text;     /**< Number of the text, 0 if none. */
	uint32_t index;    /**< Of the reference, or the flags. */
	uint32_t sequence; /**< Position in the log. */
} gathered_note;

typedef struct gathered_notes {
	gathered_note *notes;
	size_t count;
	size_t capacity;
} gathered_notes;

/** The label and the flags of an object, 0 if it has none; or a name of a reference, whose number is the key. */
typedef struct keyed_text {
	uint32_t key;
	uint32_t text;
} keyed_text;

/** A sorted list of texts with different keys. */
typedef struct keyed_texts {
	keyed_text *elements;
	size_t count;
	size_t capacity;
} keyed_texts;

typedef struct weak_reference {
	uint32_t object;
	uint32_t target; /**< #OBJECT_NONE if the snapshot lacks it. */
	uint32_t text;
	uint32_t sequence;
} weak_reference;

typedef struct object_notes {
	memory_budget *budget;
	note_text *texts; /**< By number - 1. */
	size_t text_count;
	size_t text_capacity;
	hash_index numbers; /**< Of texts. */
	gathered_notes labels;
	gathered_notes flagged;
	gathered_notes names;
	gathered_notes weak;
	/* After object_notes_link(): */
	keyed_texts object_labels; /**< By object. */
	keyed_texts object_flags;  /**< By object; the text is the flags. */
	keyed_texts reference_names;
	weak_reference *weak_references; /**< By object. */
	size_t weak_count;
	size_t weak_capacity;
	uint64_t synthetic; /**< Objects that are no memory. */
	uint64_t missing;   /**< Notes that were left out. */
} object_notes;

/** The budget must stay at its address. */
void object_notes_init(object_notes *notes, memory_budget *budget);

/** Frees everything; the notes are empty then. */
void object_notes_destroy(object_notes *notes);

/** Adds a record. Returns #MPROF_OK; #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY. */
mprof_status object_notes_add(object_notes *notes, const mprof_reader *reader, const mprof_record *record);

/**
 * Attaches the notes to the objects of a graph that is linked, and frees what was gathered. The references of synthetic
 * objects become roots. Returns 0 if there is no memory; the graph and the notes can then only be destroyed.
 */
int object_notes_link(object_notes *notes, object_graph *graph);

/** The label of an object, "" if it has none. */
const char *object_notes_label(const object_notes *notes, uint32_t object);

/** Bits of #mprof_object_flag. */
uint32_t object_notes_flags(const object_notes *notes, uint32_t object);

/** The name of a reference by its number, "" if it has none. */
const char *object_notes_name(const object_notes *notes, uint32_t reference);

/** The text with a number; "" for 0. */
const char *object_notes_text(const object_notes *notes, uint32_t number);

/** The weak references of an object: the first one, and their number. */
const weak_reference *object_notes_weak(const object_notes *notes, uint32_t object, uint32_t *count);

#endif
