/* SPDX-License-Identifier: MIT */
/**
 * \file parser/log_state.h
 * \brief Stores what blocks specify for the blocks after them.
 */
#ifndef PARSER_LOG_STATE_H
#define PARSER_LOG_STATE_H

#include <mprof/parser.h>

/**
 * Sets the directives in force to those of the DIRECTIVES blocks before an offset of the log, as far as these were
 * read.
 */
void parser_directives_restore(mprof_parser *parser, uint64_t offset);

/** Makes room for one more change of the directives. Returns 0 if out of memory. */
int parser_directives_reserve(mprof_parser *parser);

/** Adds what the DIRECTIVES block at the start of the buffer declares. Call parser_directives_reserve() before. */
void parser_directives_add(mprof_parser *parser, uint64_t declared, uint64_t unreadable_kinds, int is_lost);

/** Stores the object sizes from the decoded MAPPING block at the start of the buffer. Returns 0 if out of memory. */
int parser_store_object_sizes(mprof_parser *parser);

/**
 * Infers from the decoded block at the start of the buffer how to decode blocks of older logs, which do not specify
 * their layout.
 */
void parser_infer_layouts(mprof_parser *parser);

#endif
