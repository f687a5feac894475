/* SPDX-License-Identifier: MIT */
/**
 * \file parser/events.h
 * \brief The parser's part for EVENTS blocks.
 */
#ifndef PARSER_EVENTS_H
#define PARSER_EVENTS_H

#include <mprof/parser.h>

/** Makes room for what fetching the events of a block needs. Returns 0 if there is no memory. */
int parser_events_reserve(mprof_parser *parser);

/** Prepares for the list of events of the block, which was decoded up to there, and is that long. */
void parser_events_init(mprof_parser *parser, size_t length);

/** Finds out from which counter the events of the block start. Returns 0 if there is no memory. */
int parser_events_begin(mprof_parser *parser);

/** Goes back to the first event of the loaded block. */
void parser_events_rewind(mprof_parser *parser);

/** As mprof_parser_next_events(), with an EVENTS block loaded. */
mprof_status parser_events_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);

/**
 * Leaves the block behind, whether or not it was loaded, and however many of its events were fetched. Returns #MPROF_OK
 * or #MPROF_ERR_MEMORY.
 */
mprof_status parser_events_leave(mprof_parser *parser);

#endif
