/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_columns_open.h
 * \brief Finds and checks the columns of a block of events (doc/format.md, 3.22).
 */
#ifndef FORMAT_EVENT_COLUMNS_OPEN_H
#define FORMAT_EVENT_COLUMNS_OPEN_H

#include "format/content_cursor.h"
#include "format/event_columns.h"
#include "format/int_column.h"

/** The columns of a block and the progress of decoding. Positions are in bytes from the start of the content. */
typedef struct event_columns_state {
	size_t starts[EVENT_COLUMNS];
	size_t lengths[EVENT_COLUMNS];
	int_column numbers[EVENT_COLUMNS]; /**< Those of the symbols and the rows are not used. */
	size_t event_count;                /**< Of a truncated or damaged block: those whose symbol is known. */
	size_t position;                   /**< Events decoded so far. */
	size_t row_position;               /**< Bytes of the rows decoded so far. */
	uint64_t object;                   /**< Address of the last object. */
} event_columns_state;

/**
 * Decodes the fields before the columns, which start at the cursor, and checks the columns of numbers. The cursor
 * advances past the columns. If they are truncated or damaged, the cursor records it, and the state contains what comes
 * before. \p directives are those in force.
 */
void event_columns_open(event_columns_state *columns, content_cursor *cursor, uint64_t directives);

#endif
