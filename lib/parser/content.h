/* SPDX-License-Identifier: MIT */
/**
 * \file parser/content.h
 * \brief How the parser fetches the items of a block: one table of functions for each block kind that has items. A
 * function that a kind does not need is NULL.
 */
#ifndef PARSER_CONTENT_H
#define PARSER_CONTENT_H

#include <mprof/parser.h>

typedef struct block_content {
	/** Allocates the memory that loading and fetching need. Returns 0 if out of memory. */
	int (*reserve)(mprof_parser *parser);
	/** Prepares for fetching a list of \p length bytes whose items are checked only when they are fetched. */
	void (*begin_list)(mprof_parser *parser, size_t length);
	/** Returns to the first item. */
	void (*rewind)(mprof_parser *parser);
	/** As mprof_parser_next_events(). The caller has set \p count to 0. */
	mprof_status (*next_events)(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count);
	/** Fetches one record. Returns 0 if there are no more. */
	int (*next_record)(mprof_parser *parser, mprof_record *record);
} block_content;

/** The functions for a kind of block. */
const block_content *block_content_get(uint32_t kind);

/** Returns to the first item of the loaded block, if there is one. */
void block_content_rewind(mprof_parser *parser);

#endif
