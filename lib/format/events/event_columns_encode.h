/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_columns_encode.h
 * \brief Collects events in columns, and encodes these as the content of a block (doc/format.md, 3.22).
 */
#ifndef FORMAT_EVENTS_EVENT_COLUMNS_ENCODE_H
#define FORMAT_EVENTS_EVENT_COLUMNS_ENCODE_H

#include "format/events/event_columns.h"
#include "format/events/events_encode.h"

/** The events of a block. */
typedef struct event_columns {
	mprof_allocator allocator;
	uint8_t *symbols;
	uint64_t *values[EVENT_COLUMNS];  /**< NULL for the symbols and the rows. */
	size_t counts[EVENT_COLUMNS];     /**< Values in each column; the events in that of the symbols. */
	size_t capacities[EVENT_COLUMNS]; /**< Elements that each array has room for. */
	encode_buffer rows;
	uint64_t last_object; /**< Address of the last object; 0 at first. */
} event_columns;

/** Initializes columns without memory. \p allocator is copied. */
void event_columns_init(event_columns *columns, const mprof_allocator *allocator);
void event_columns_destroy(event_columns *columns);

/** Removes all events. The memory is kept. */
void event_columns_clear(event_columns *columns);

/**
 * Adds events up to the first one that cannot be written, or until the block is full. Parameters and result are those
 * of events_encode(); the room that it needs in \p block for event_columns_encode() is reserved.
 */
mprof_status event_columns_add(event_columns *columns, event_encoder *encoder, encode_buffer *block,
			       const mprof_event *events, size_t count, size_t *taken);

/** Makes room for \p more events, whatever they are, except in the rows. Returns 0 if out of memory. */
int event_columns_reserve(event_columns *columns, size_t more);

/**
 * Adds an event after event_columns_reserve(), to columns that are not full. \p encoder and its statistics count it.
 * Status as of events_encode().
 */
mprof_status event_columns_add_event(event_columns *columns, event_encoder *encoder, const mprof_event *event);

/** Whether no event can be added any more. */
static inline int event_columns_is_full(const event_columns *columns)
{
	return columns->counts[EVENT_COLUMN_SYMBOLS] == EVENT_COLUMNS_MAX_EVENTS;
}

/**
 * Appends the number of events, the lengths of the columns, and the columns. Returns the length of everything after the
 * number of events, in bytes, which writers compress (doc/format.md, 3.23); 0 if out of memory.
 */
size_t event_columns_encode(const event_columns *columns, encode_buffer *block);

#endif
