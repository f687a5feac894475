/* SPDX-License-Identifier: MIT */
/**
 * \file parser/search.h
 * \brief Finds the next valid block after damage.
 */
#ifndef PARSER_SEARCH_H
#define PARSER_SEARCH_H

#include <mprof/parser.h>

/** What a search for a valid block gives. */
typedef enum parser_search_result {
	PARSER_SEARCH_FOUND,
	PARSER_SEARCH_NONE,
	PARSER_SEARCH_MORE /**< More bytes are needed to decide. */
} parser_search_result;

/**
 * Searches the buffer from \p position on for a header of a known block with a right checksum. On
 * PARSER_SEARCH_MORE \p position is where to continue and \p needed how many bytes of the buffer are needed.
 */
parser_search_result parser_search_buffer(mprof_parser *parser, size_t *position, uint64_t *needed);

/** The position in the buffer, after its start, of a valid block; 0 if there is none. */
size_t parser_search_inside(mprof_parser *parser);

/**
 * Starts a search at a position of the buffer, which starts with the damage. \p claimed_end is the end of the block
 * according to its own length, if that is perhaps only too large; otherwise 0.
 */
void parser_search_begin(mprof_parser *parser, size_t position, uint64_t claimed_end);

/** Continues the search. Returns #MPROF_AGAIN, the error that reports the damage, or #MPROF_OK if there was none. */
mprof_status parser_search_go_on(mprof_parser *parser);

#endif
