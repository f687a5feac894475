/* SPDX-License-Identifier: MIT */
/**
 * \file parser/lists.h
 * \brief What lists that are checked only while they are fetched have in common.
 */
#ifndef PARSER_LISTS_H
#define PARSER_LISTS_H

#include <mprof/parser.h>

/** Why fetching from a list stopped. */
typedef enum list_stop {
	LIST_STOP_END,       /**< The end of the list was reached. */
	LIST_STOP_TRUNCATED, /**< The list has no end. If the block is truncated, so is the log here. */
	LIST_STOP_MALFORMED
} list_stop;

/** The status for a list that has no more items to fetch. \p position is in bytes from the start of the list. */
mprof_status parser_list_end(mprof_parser *parser, list_stop stop, size_t position, const char *what);

/** The first byte of the list of the loaded block. */
const uint8_t *parser_list_bytes(const mprof_parser *parser);

/** Allocates the array of event details. Returns 0 if out of memory. */
int parser_details_reserve(mprof_parser *parser);

#endif
