/* SPDX-License-Identifier: MIT */
/**
 * \file parser/hits.h
 * \brief Fetches the hits and definitions of the loaded STATISTICAL block.
 */
#ifndef PARSER_HITS_H
#define PARSER_HITS_H

#include <mprof/parser.h>

/** Allocates the memory that fetching needs. Returns 0 if out of memory. */
int parser_hits_reserve(mprof_parser *parser);

/** Returns to the first hit and the first definition of the loaded block. */
void parser_hits_rewind(mprof_parser *parser);

/** Fetches frames of hits. \p count is 0 before. As mprof_parser_next_events(). */
mprof_status parser_hits_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);

/** Fetches the next definition of a module or function. Returns 0 if there is none. */
int parser_hits_next_record(mprof_parser *parser, mprof_record *record);

#endif
