/* SPDX-License-Identifier: MIT */
/**
 * \file parser/lists.h
 * \brief Functions for all lists whose items are checked only when they are fetched.
 */
#ifndef PARSER_LISTS_H
#define PARSER_LISTS_H

#include <mprof/parser.h>

/** Why fetching from a list stopped. */
typedef enum list_stop {
	LIST_STOP_END,       /**< The end of the list was reached. */
	LIST_STOP_TRUNCATED, /**< The list has no end: the block was truncated there, or is damaged. */
	LIST_STOP_MALFORMED
} list_stop;

/**
 * Returns the status for a list that has no more items to fetch, and records it if it is an error. \p position is where
 * fetching stopped, in bytes from the start of the list; \p what describes the error of a malformed list.
 */
mprof_status parser_list_end(mprof_parser *parser, list_stop stop, size_t position, const char *what);

/** Returns the first byte of the list of the loaded block. Valid until the buffer changes. */
const uint8_t *parser_list_bytes(const mprof_parser *parser);

/** Allocates the array of event details. Returns 0 if out of memory. */
int parser_details_reserve(mprof_parser *parser);

#endif
