/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/meanings.h
 * \brief Types of events that have a meaning, and their arguments (doc/format.md, 4.11): their names are only here.
 */
#ifndef MODEL_RECORDS_MEANINGS_H
#define MODEL_RECORDS_MEANINGS_H

#include <mprof/format.h>
#include <mprof/reader.h>

#include "base/id_map.h"

/** What events of a type are. */
typedef enum meaning_type {
	MEANING_NOTHING,       /**< Types without a meaning. */
	MEANING_GC,            /**< mprof.gc. */
	MEANING_GC_PHASE,      /**< mprof.gc.phase. */
	MEANING_GC_GENERATION, /**< mprof.gc.generation. */
	MEANING_LOG,           /**< mprof.log. */
	MEANING_WAIT,          /**< mprof.wait. */
	MEANING_THREAD_STATE,  /**< mprof.thread.state. */
	MEANING_EXCEPTION,     /**< mprof.exception. */
	MEANING_TYPE_COUNT
} meaning_type;

/** Arguments that are numbers. */
typedef enum meaning_number {
	MEANING_COLLECTION,
	MEANING_IS_PAUSE,
	MEANING_DURATION,
	MEANING_BEFORE,
	MEANING_AFTER,
	MEANING_CAPACITY,
	MEANING_PINNED_OBJECTS,
	MEANING_PINNED_BYTES,
	MEANING_SEVERITY,
	MEANING_STACK,
	MEANING_PRIORITY,
	MEANING_CLASS,
	MEANING_NUMBER_COUNT
} meaning_number;

/** Arguments that are texts. */
typedef enum meaning_text {
	MEANING_NAME,
	MEANING_COLLECTOR,
	MEANING_CAUSE,
	MEANING_GENERATION,
	MEANING_SOURCE,
	MEANING_MESSAGE,
	MEANING_KIND,
	MEANING_STATE,
	MEANING_TEXT_COUNT
} meaning_text;

/** Texts of events are cut to this length, with the NUL at their end. */
#define MEANING_TEXT_ROOM 256

/** An event. What it lacks, and what is of another kind than the name promises, is 0 or NULL. */
typedef struct meaning_event {
	meaning_type type;
	uint32_t form;        /**< Of its type, an #mprof_type_form. */
	uint32_t has_numbers; /**< Bits 1 << #meaning_number: those that the event has. */
	uint64_t numbers[MEANING_NUMBER_COUNT];
	const char *texts[MEANING_TEXT_COUNT]; /**< Not NUL-terminated. */
	size_t lengths[MEANING_TEXT_COUNT];
} meaning_event;

/** What events of a type are, plus 1, by ID of the type. */
typedef struct meanings {
	id_map types;
} meanings;

void meanings_init(meanings *all, const mprof_allocator *allocator);
void meanings_destroy(meanings *all);

/**
 * Reads an event of a type that the log describes. Its texts are valid as long as the event and the definitions of the
 * reader. Returns 0 if there is no memory.
 */
int meanings_read(meanings *all, const mprof_reader *reader, const mprof_event *event, meaning_event *known);

/** Whether the event has a number. */
static inline int meaning_event_has(const meaning_event *known, meaning_number number)
{
	return (known->has_numbers >> number & 1) != 0;
}

/** Copies a text up to its first NUL, cut to the room at the end of a character; "" if the event has none. */
void meaning_event_copy(const meaning_event *known, meaning_text text, char copy[MEANING_TEXT_ROOM]);

#endif
