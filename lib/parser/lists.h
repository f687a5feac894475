/* SPDX-License-Identifier: MIT */
/**
 * \file parser/lists.h
 * \brief What all lists of a block have in common that are checked only while they are fetched.
 */
#ifndef PARSER_LISTS_H
#define PARSER_LISTS_H

#include <mprof/parser.h>

/** Why fetching from a list stopped. */
typedef enum list_stop {
	LIST_STOP_END, /**< All of it was read. */
	LIST_STOP_CUT, /**< The list does not end; the log is cut here if the block is. */
	LIST_STOP_MALFORMED
} list_stop;

/** The status for a list of which nothing more can be fetched. \p position is the one in the list. */
mprof_status parser_list_end(mprof_parser *parser, list_stop stop, size_t position, const char *what);

/** The first byte of the list of the loaded block. */
const uint8_t *parser_list_bytes(const mprof_parser *parser);

/** Makes room for details. Returns 0 if there is no memory. */
int parser_details_reserve(mprof_parser *parser);

#endif
