/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/meanings.h
 * \brief Events that have a meaning (doc/format.md, 4.11): messages, waits, states of threads, texts of exceptions, and
 * what is stated about collections. Their arguments, whose names are only here, and what is counted of them.
 */
#ifndef MODEL_RECORDS_MEANINGS_H
#define MODEL_RECORDS_MEANINGS_H

#include <mprof/format.h>
#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/id_map.h"
#include "base/memory_budget.h"
#include "model/records/durations.h"
#include "model/records/record_table.h"

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

/** What events of a type are; #MEANING_TYPE_COUNT if it is not defined. */
meaning_type meaning_of_type(const mprof_reader *reader, uint32_t id);

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

/** Texts of a record: those by which it is found, and further ones. */
#define TEXT_KEY_TEXTS 2

/** What a record is found by. */
typedef struct text_key {
	uint64_t number;
	char *texts[TEXT_KEY_TEXTS];
	uint32_t is_rest; /**< Of all for which there is no record; the texts by which others are found are NULL. */
} text_key;

/** Records that begin with a #text_key, in the order of their first appearance. */
typedef struct text_records {
	unsigned char *records;
	size_t size; /**< Of a record, in bytes. */
	size_t count;
	size_t capacity;
	size_t key_texts; /**< Texts by which a record is found. */
	size_t limit;
	hash_index numbers; /**< Of records, plus 1. */
	uint32_t rest;      /**< The number of the record of the rest plus 1; 0: none. */
	memory_budget *budget;
} text_records;

static inline void *text_records_at(const text_records *all, size_t index)
{
	return all->records + index * all->size;
}

/** Messages of one severity from one source. */
typedef struct message_record {
	text_key key; /**< The severity, 0 if not known; the source; the text of the first message, NULL for none. */
	uint64_t count;
	uint64_t first; /**< Counters of the earliest and the latest message. */
	uint64_t last;
	uint64_t thread; /**< That of the earliest one. */
} message_record;

/** Waits of one kind and name at one call site. */
typedef struct wait_record {
	text_key key;   /**< The call stack, shifted by 32 bits, or else the node of the call tree; kind and name. */
	uint64_t begun; /**< Waits that began inside the window. */
	uint64_t ended; /**< Those of them that have ended inside it. */
} wait_record;

typedef struct wait_list {
	text_records records;     /**< Each #wait_record. */
	call_durations durations; /**< By number of the record plus 1. */
} wait_list;

static inline wait_record *wait_list_at(const wait_list *all, size_t index)
{
	return text_records_at(&all->records, index);
}

/** A state of a thread. Times are in counters. */
typedef struct thread_state_record {
	text_key key; /**< The thread; the state, "" if not known. */
	uint32_t has_priority;
	uint64_t priority; /**< The latest one in this state. */
	uint64_t count;    /**< How often it began inside the window. */
	uint64_t ended;    /**< Time inside the window until the state changed. */
	uint64_t open;     /**< Time inside the window of a state that has not changed, as of the last finish. */
} thread_state_record;

/** The state that a thread is in. All bytes 0: none. */
typedef struct thread_state {
	uint32_t number; /**< Of its record, plus 1; 0: none. */
	uint32_t has_priority;
	uint64_t priority;
	uint64_t since; /**< The nearest counter inside the window. */
	int is_known;   /**< The state has a name. */
	int is_running; /**< That is "running". */
} thread_state;

/** The texts of one class, or of one site. */
typedef struct exception_text {
	uint32_t number;  /**< The class, or the number of the site plus 1. */
	uint64_t count;   /**< Exceptions with a text. */
	uint64_t counter; /**< Of the latest one. */
	char *text;       /**< Of the latest one; NULL if there was no memory for it. */
} exception_text;

typedef struct exception_texts {
	record_table records;
	memory_budget *budget;
} exception_texts;

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

typedef struct meanings {
	id_map types;                /**< What events of a type are, plus 1, by ID of the type. */
	text_records messages;       /**< Each #message_record. */
	text_records states;         /**< Each #thread_state_record. */
	exception_texts class_texts; /**< By class. */
	exception_texts site_texts;  /**< By site: the number of a record of exceptions, plus 1. */
	collection_notes collections;
} meanings;

void meanings_init(meanings *all, memory_budget *budget);
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

/** Adds an event of the type mprof.log. Returns 0 if there is no memory. */
int meanings_add_message(meanings *all, const meaning_event *known, uint64_t counter, uint64_t thread);

void wait_list_init(wait_list *all, memory_budget *budget);
void wait_list_destroy(wait_list *all);

/**
 * The record of a wait that is at the node \p call of the call tree, unless the event has a call stack. Returns its
 * number plus 1, or 0 if there is no memory. \p counts: 1 if the wait begins inside the window, else 0.
 */
uint32_t wait_list_find(wait_list *all, const meaning_event *known, uint32_t call, uint32_t counts);

/** Counts a wait that ended; \p number and \p counts are those of wait_list_find(). Returns 0 if there is no memory. */
int wait_list_end(wait_list *all, uint32_t number, uint64_t duration, uint32_t counts);

/**
 * A thread changes its state or its priority. \p clamped: the nearest counter inside the window. \p counts: 1 if the
 * event is inside the window, else 0. Returns 0 if there is no memory.
 */
int meanings_change_state(meanings *all, thread_state *now, const meaning_event *known, uint64_t thread,
			  uint64_t clamped, uint32_t counts);

/** The thread has ended, and is in no state. */
void meanings_end_state(meanings *all, thread_state *now, uint64_t clamped);

/** Starts to show states that have not changed; meanings_show_state() shows that of a thread until \p clamped. */
void meanings_begin_show(meanings *all);
void meanings_show_state(meanings *all, const thread_state *now, uint64_t clamped);

/** Adds the text of an exception. Returns 0 if there is no memory. */
int exception_texts_add(exception_texts *all, uint32_t number, const char *text, uint64_t counter);

/** NULL if there are no texts. */
static inline const exception_text *exception_texts_find(const exception_texts *all, uint32_t number)
{
	return record_table_find(&all->records, number);
}

/** Adds an event if it states something about a collection. Returns 0 if there is no memory. */
int collection_notes_add(collection_notes *all, const meaning_event *known);

/** The note of a collection, or NULL. */
const collection_note *collection_notes_find(const collection_notes *all, uint64_t number);

#endif
