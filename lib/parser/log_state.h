/* SPDX-License-Identifier: MIT */
/**
 * \file parser/log_state.h
 * \brief What blocks teach the parser about the blocks that follow them.
 */
#ifndef PARSER_LOG_STATE_H
#define PARSER_LOG_STATE_H

#include <mprof/parser.h>

/** Makes the directives hold that are in force at an offset of the log, as far as it was read. */
void parser_directives_restore(mprof_parser *parser, uint64_t offset);

/** Makes room for one more change of the directives. Returns 0 if there is no memory. */
int parser_directives_reserve(mprof_parser *parser);

/** Adds what the DIRECTIVES block at the start of the buffer declares; room was made. */
void parser_directives_add(mprof_parser *parser, uint64_t declared, uint64_t unreadable_kinds, int is_lost);

/**
 * Learns the sizes of objects from the MAPPING block at the start of the buffer, which was decoded. Returns 0 if there
 * is no memory.
 */
int parser_learn_sizes(mprof_parser *parser);

/**
 * Learns from the block at the start of the buffer, which was decoded, how to read blocks of older logs whose form is
 * not stated in the log.
 */
void parser_learn_hints(mprof_parser *parser);

#endif
