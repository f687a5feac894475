/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_columns_open.h
 * \brief Finds and checks the columns of a block of events (doc/format.md, 3.22).
 */
#ifndef FORMAT_EVENT_COLUMNS_OPEN_H
#define FORMAT_EVENT_COLUMNS_OPEN_H

#include "format/content_cursor.h"
#include "format/event_arrays.h"
#include "format/event_columns.h"
#include "format/event_symbols.h"
#include "format/int_column.h"

/** Events whose symbols are counted together when the columns are opened. A batch of arrays has as many. */
#define EVENT_COLUMNS_PIECE EVENT_ARRAYS_CAPACITY

/** The columns of a block and the progress of decoding. Positions are in bytes from the start of the content. */
typedef struct event_columns_state {
	size_t starts[EVENT_COLUMNS];
	size_t lengths[EVENT_COLUMNS];
	int_column numbers[EVENT_COLUMNS]; /**< Those of the symbols and the rows are not used. */
	event_symbol_counts counts;        /**< Of the symbols of all events. */
	/** Of the symbols of each piece, the last of which may have fewer events. */
	event_symbol_counts pieces[EVENT_COLUMNS_MAX_EVENTS / EVENT_COLUMNS_PIECE];
	size_t event_count;            /**< Of a truncated or damaged block: those whose symbol is known. */
	size_t position;               /**< Events decoded so far. */
	size_t row_position;           /**< Bytes of the rows decoded so far. */
	uint64_t object;               /**< Address of the last object. */
	size_t skipped[EVENT_COLUMNS]; /**< Values of each column that are skipped before the next one is decoded;
	                                        see event_columns_skip(). */
} event_columns_state;

/**
 * Decodes the fields before the columns, which start at the cursor, and checks the columns of numbers. The cursor
 * advances past the columns. If they are truncated or damaged, the cursor records it, and the state contains what comes
 * before. \p directives are those in force.
 */
void event_columns_open(event_columns_state *columns, content_cursor *cursor, uint64_t directives);

#endif
