/* SPDX-License-Identifier: MIT */
/**
 * \file dump/dump.h
 * \brief The two forms in which blocks, events and records are printed as they stand in the log.
 */
#ifndef DUMP_H
#define DUMP_H

#include "common/input.h"

/** Fetches and prints what a block says, but for its events and records. */
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

/** The records of the two forms. */
void dump_records_text(const log_input *input, const mprof_record *records, size_t count);
void dump_records_json(const log_input *input, const mprof_record *records, size_t count);

/** How the fields of an event read. */
mprof_event_info dump_event_info(const mprof_event *event);

/** What the ID of an event names; nothing if it is a sample, whose call stack is printed instead. */
mprof_event_id dump_subject_of(const mprof_event *event);

/** 1 if the kind has a value that is printed as such. */
int dump_has_value(const mprof_event *event);

/** The number of the collection that an event is of, 0 if it is of none or the log does not tell. */
uint32_t dump_collection_of(const mprof_event *event);

/** A frame of a stack section, by its place; the innermost is at 0. */
mprof_stack_frame dump_section_frame(const mprof_event_detail *detail, uint32_t place);

/**
 * The address of the object that an event is about, 0 if it is about none. Of further references that is the object
 * before, so events are to be asked for in the order of the log.
 */
uint64_t dump_object_of(const mprof_event *event);

/** 1 if the event is a sample, whose value is a call stack. */
int dump_has_stack(const mprof_event *event);

/** The name of the innermost frame of a call stack; NULL if it is not known. Valid until the next call. */
const char *dump_innermost(const log_input *input, uint32_t stack);

/** 1 for events of native memory. */
int dump_is_memory(const mprof_event *event);

#endif
