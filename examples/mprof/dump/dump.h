/* SPDX-License-Identifier: MIT */
/**
 * \file dump/dump.h
 * \brief The two output forms of blocks, events and records, in file order.
 */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include "common/input.h"

/** Fetches and prints the content of a block, except its events and records. */
typedef void (*dump_block_function)(log_input *input, const mprof_block *block);

/** Prints events of a block. */
typedef void (*dump_events_function)(const log_input *input, const mprof_block *block, const mprof_event *events,
				     size_t count);

/** Prints records of a block. */
typedef void (*dump_records_function)(const log_input *input, const mprof_record *records, size_t count);

typedef struct dump_form {
	dump_block_function block;
	dump_events_function events;
	dump_records_function records;
} dump_form;

extern const dump_form dump_form_text;
extern const dump_form dump_form_json;

/**
 * Reads and prints the next block. \p progress is initially all 0. Returns 0 if there is none, as input_next_block().
 */
int dump_next_block(log_input *input, const dump_form *form, int with_contents, definition_progress *progress);

/** The meaning of the fields of an event. */
mprof_event_info dump_event_info(const mprof_event *event);

/** The kind of an event's ID; MPROF_EVENT_ID_NONE for a sample, whose call stack is printed instead. */
mprof_event_id dump_subject_of(const mprof_event *event);

/** Returns 1 if the event has a value that is printed as a number. */
int dump_has_value(const mprof_event *event);

/** The number of the collection that an event belongs to, 0 if it belongs to none or the log has no number. */
uint32_t dump_collection_of(const mprof_event *event);

/** A frame of a stack section, by its index; the innermost has index 0. */
mprof_stack_frame dump_section_frame(const mprof_event_detail *detail, uint32_t index);

/**
 * The address of the object of an event, 0 if it has none. Events with further references refer to the previous object,
 * so call this for all events in the order of the log.
 */
uint64_t dump_object_of(const mprof_event *event);

/**
 * Looks up the field in which an object has a reference, by the index of the reference. Returns its name, which is
 * valid as long as the reader, and in \p element the index of an array's element; NULL if unknown. Call it after
 * dump_object_of() for the same event.
 */
const char *dump_field_of(const log_input *input, const mprof_event *event, uint32_t index, uint64_t *element);

/** Returns 1 if the event is a sample, whose value is a call stack. */
int dump_has_stack(const mprof_event *event);

/** The name of the innermost frame of a call stack; NULL if unknown. Valid until the next call. */
const char *dump_innermost(const log_input *input, uint32_t stack);

/** Its name in the object file; NULL if that is the same. */
const char *dump_innermost_symbol(const log_input *input, uint32_t stack);

/** Returns 1 for events of native memory. */
int dump_is_memory(const mprof_event *event);

/** The flags of a metric; without a definition, its values are signed numbers. */
uint32_t dump_metric_flags(const log_input *input, uint32_t id);

/** The object that a record of a block of a heap snapshot is about. */
uint64_t dump_note_object(const mprof_record *record);

/** The text of a record for dump_note_object(); NULL if it has none, or one that is not defined. */
const char *dump_note_text(const log_input *input, const mprof_record *record);

/** Returns 1 for records of CODE_RANGES blocks. */
int dump_is_of_code_ranges(const mprof_record *record);

#endif
