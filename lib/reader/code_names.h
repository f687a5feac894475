/* SPDX-License-Identifier: MIT */
/**
 * \file reader/code_names.h
 * \brief Names the addresses of generated code in call stacks by the ranges that held them at the time (doc/format.md,
 * 3.36).
 *
 * A call stack with a name in place of an address is another call stack, with an ID that the log does not use. Such
 * call stacks, their locations, functions and modules have a table and an interner of their own, so that IDs of the
 * log stay without gaps in theirs.
 */
#ifndef READER_CODE_NAMES_H
#define READER_CODE_NAMES_H

#include <mprof/reader.h>

#include "dictionary/code_ranges.h"
#include "dictionary/definition_table.h"

/** IDs above this one are those of named call stacks and what they consist of. */
#define CODE_NAMES_BASE_ID (DEFINITION_MAX_STACKS / 4 * 3)

/** What was found for a call stack. */
typedef struct code_name {
	uint32_t stack;       /**< Its ID in the log. */
	uint32_t named;       /**< The named call stack, or the same one. */
	uint64_t from;        /**< It is that from this counter on ... */
	uint64_t until;       /**< ... up to this one, exclusive. */
	uint32_t version;     /**< Of the ranges. */
	uint32_t has_address; /**< Some frame is an address; otherwise nothing changes. */
	uint64_t first_used;  /**< The lowest counter that was asked for, and what was found for it. */
	uint32_t first_named;
	uint32_t last_named;
	uint64_t last_used; /**< The highest one, as first_used. */
} code_name;

typedef struct code_names {
	code_ranges ranges;
	definition_table definitions;
	definition_interner interner;
	hash_map numbers; /**< Of call stacks of the log in known. */
	code_name *known;
	size_t known_count;
	size_t known_capacity;
	struct code_frame *frames; /**< The frames of a call stack. */
	size_t frame_capacity;
	uint64_t early;  /**< The highest counter of events that were passed before any range was known. */
	uint32_t passed; /**< 1: there were such events. */
	uint32_t is_late;
} code_names;

void code_names_init(mprof_reader *reader);
void code_names_destroy(mprof_reader *reader);

/** Whether ranges of generated code are known, so that events must be passed to reader_name_events(). */
int reader_has_code_ranges(const mprof_reader *reader);

/**
 * Replaces the call stacks of events by the named ones. The events and their details are those of the last batch.
 * Without memory the reader notes the failure.
 */
void reader_name_events(mprof_reader *reader, mprof_event *events, size_t count);

#endif
