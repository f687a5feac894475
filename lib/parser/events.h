/* SPDX-License-Identifier: MIT */
/**
 * \file parser/events.h
 * \brief Fetches the events of the loaded EVENTS block.
 */
#ifndef PARSER_EVENTS_H
#define PARSER_EVENTS_H

#include <mprof/parser.h>

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

/** As mprof_parser_next_events(), with an EVENTS block loaded. */
mprof_status parser_events_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);

/**
 * Finishes the block before the next header is read. The block may be loaded or not, and any number of its events may
 * have been fetched. Returns #MPROF_OK or #MPROF_ERR_MEMORY.
 */
mprof_status parser_events_finish(mprof_parser *parser);

#endif
