/* SPDX-License-Identifier: MIT */
/**
 * \file parser/events.h
 * \brief Fetches the events of the loaded EVENTS block.
 */
#ifndef PARSER_EVENTS_H
#define PARSER_EVENTS_H

#include <mprof/columns.h>

#include "parser/prepared.h"

/** Allocates the memory that fetching the events of a block needs. Returns 0 if out of memory. */
int parser_events_reserve(mprof_parser *parser);

/**
 * Prepares for fetching the event list of the block, which has \p length bytes. The block must have been decoded up to
 * the start of the list.
 */
void parser_events_init(mprof_parser *parser, size_t length);

/** Determines the counter that the first delta of the block is added to. Returns 0 if out of memory. */
int parser_events_start(mprof_parser *parser);

/** Returns to the first event of the loaded block. */
void parser_events_rewind(mprof_parser *parser);

/**
 * Describes what the decoding of EVENTS blocks depends on at present. Returns 0 if it depends on other blocks, too, so
 * that none can be prepared.
 */
int parser_events_context(const mprof_parser *parser, prepared_context *context);

/** Whether the context still describes what decoding depends on. */
int parser_events_context_is_current(const mprof_parser *parser, const prepared_context *context);

/**
 * Returns prepared events of the loaded block, at most \p capacity, or NULL if there are none. Borrowed until the block
 * is left; the caller may change them, since no later call delivers them again.
 */
mprof_event *parser_events_lend(mprof_parser *parser, size_t capacity, size_t *count);

/** Goes to the end of the loaded block, all events of which were visited. */
void parser_events_pass(mprof_parser *parser);

/** As mprof_parser_next_events(), with an EVENTS block loaded. */
mprof_status parser_events_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);

/**
 * Decodes the next events of a block of columns that is loaded as a whole, to mprof_parser::arrays. Returns 0 if
 * parser_events_next() has to fetch them, see event_columns_read().
 */
int parser_events_next_columns(mprof_parser *parser, uint32_t wanted, mprof_columns *columns);

/** The counter of the last event fetched, or that which the first event follows. */
uint64_t parser_events_counter(mprof_parser *parser);

/**
 * Finishes the block before the next header is read. The block may be loaded or not, and any number of its events may
 * have been fetched. Returns #MPROF_OK or #MPROF_ERR_MEMORY.
 */
mprof_status parser_events_finish(mprof_parser *parser);

#endif
