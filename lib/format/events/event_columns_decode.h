/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_columns_decode.h
 * \brief Decodes the columns of events (doc/format.md, 3.22), to events.
 */
#ifndef FORMAT_EVENTS_EVENT_COLUMNS_DECODE_H
#define FORMAT_EVENTS_EVENT_COLUMNS_DECODE_H

#include <mprof/reader.h>

#include "format/values/content_cursor.h"
#include "format/events/event_columns.h"
#include "format/events/event_decode_table.h"
#include "format/events/event_symbols.h"
#include "format/events/typed_columns_decode.h"
#include "format/values/int_column.h"

#include <stddef.h>
#include <stdint.h>

/** Events of a batch: the arrays that most programs use fit the second-level cache. */
#define EVENT_ARRAYS_CAPACITY 4096

/** Events of a batch that may be rows, or that are converted from structs. */
#define EVENT_ARRAYS_ROWS 1024

/** The memory of a batch. Pages of arrays that are not used are not touched. */
typedef struct event_arrays {
	uint32_t methods[EVENT_ARRAYS_CAPACITY];
	uint64_t times[EVENT_ARRAYS_CAPACITY];
	uint32_t classes[EVENT_ARRAYS_CAPACITY];
	uint64_t sizes[EVENT_ARRAYS_CAPACITY];
	uint32_t callers[EVENT_ARRAYS_CAPACITY];
	uint32_t stacks[EVENT_ARRAYS_CAPACITY];
	uint64_t objects[EVENT_ARRAYS_CAPACITY];
	uint8_t symbols[EVENT_ARRAYS_CAPACITY];
	uint16_t allocations[EVENT_ARRAYS_CAPACITY]; /**< Positions of the allocations, if their sizes need them. */
	mprof_event rows[EVENT_ARRAYS_ROWS];
} event_arrays;

/** All bits of #mprof_column. */
#define EVENT_ARRAYS_ALL                                                                                               \
	(MPROF_COLUMN_METHODS | MPROF_COLUMN_TIMES | MPROF_COLUMN_CLASSES | MPROF_COLUMN_SIZES |                       \
	 MPROF_COLUMN_CALLERS | MPROF_COLUMN_STACKS | MPROF_COLUMN_OBJECTS)

/** Sets the pointers of \p columns to the arrays that are wanted, others to NULL. */
void event_arrays_point(const event_arrays *arrays, uint32_t wanted, mprof_columns *columns);

/**
 * Converts the first \p count elements of event_arrays::rows. Those that have no symbol remain rows. Sets the counts of
 * \p columns.
 */
void event_arrays_convert(event_arrays *arrays, size_t count, mprof_columns *columns);

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
	typed_columns typed;           /**< The events of types. */
	size_t skipped[EVENT_COLUMNS]; /**< Values of each column that are skipped before the next one is decoded;
	                                        see event_columns_skip(). */
} event_columns_state;

/**
 * Decodes the fields before the columns, which start at the cursor, and checks the columns of numbers. The cursor
 * advances past the columns. If they are truncated or damaged, the cursor records it, and the state contains what comes
 * before. \p directives are those in force.
 */
void event_columns_open(event_columns_state *columns, content_cursor *cursor, uint64_t directives);

/** The memory that event_columns_expand() needs, in bytes; 0 if no event of a type is in columns. */
static inline size_t event_columns_memory(const event_columns_state *columns)
{
	return typed_columns_memory(&columns->typed);
}

/**
 * Puts the arguments of all events of types that are in columns together, in memory for as long as they are decoded:
 * events_columns_decode() and event_columns_read() deliver those of copies of the state, too.
 */
static inline void event_columns_expand(event_columns_state *columns, const uint8_t *content, void *memory)
{
	typed_columns_expand(&columns->typed, content, memory);
}

/**
 * Advances a column over the values that were skipped. \p counter receives their sum if the column contains times, and
 * may otherwise be NULL. The values must be in the column.
 */
void event_columns_settle(event_columns_state *state, const uint8_t *content, event_column column, uint64_t *counter);

/**
 * Decodes events, like events_decode(). \p content is the content of the block. If the result is an error,
 * events_decode_state::position is where it is in the content.
 */
events_decode_result event_columns_decode(const event_decode_table *table, event_columns_state *columns,
					  const uint8_t *content, events_decode_state *state,
					  events_decode_batch *batch);

/**
 * Decodes the next events of a block without damage to \p arrays, and sets the counts of \p columns. \p batch receives
 * the rows; its events are those of the arrays. Returns 0, and changes nothing but the arrays, if there are no more
 * events, one of them is damaged, or there are more rows than the batch has room for: events have to be decoded one by
 * one then.
 */
int event_columns_read(const event_decode_table *table, event_columns_state *state, const uint8_t *content,
		       events_decode_state *progress, uint32_t wanted, event_arrays *arrays, events_decode_batch *batch,
		       mprof_columns *columns);

#endif
