/* SPDX-License-Identifier: MIT */
/**
 * \file parser/search.h
 * \brief Finds the next valid block after damage.
 */
#ifndef PARSER_SEARCH_H
#define PARSER_SEARCH_H

#include <mprof/parser.h>

/** Result of a search for a valid block. */
typedef enum parser_search_result {
	PARSER_SEARCH_FOUND,
	PARSER_SEARCH_NONE,
	PARSER_SEARCH_MORE /**< More bytes are needed to decide. */
} parser_search_result;

/**
 * Searches the buffer from \p position on for a block of a known kind with a matching checksum, and sets \p position
 * to it. On PARSER_SEARCH_MORE, \p position is where to continue, and \p needed is the number of bytes that the buffer
 * must contain by then.
 */
parser_search_result parser_search_buffer(mprof_parser *parser, size_t *position, uint64_t *needed);

/**
 * Returns the position in the buffer of the first valid block that starts after the start of the buffer; 0 if there is
 * none.
 */
size_t parser_search_inside(mprof_parser *parser);

/**
 * Starts a search at a position of the buffer, whose start is the start of the damage. \p claimed_end is the offset in
 * the log of the end of the block, by its length field, if the block may only be longer than the limit, and 0
 * otherwise.
 */
void parser_search_begin(mprof_parser *parser, size_t position, uint64_t claimed_end);

/** Continues the search. Returns #MPROF_AGAIN, the error that reports the damage, or #MPROF_OK if none occurred. */
mprof_status parser_search_continue(mprof_parser *parser);

#endif
