/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/events_encode.h
 * \brief Encodes events in a list (doc/format.md, section 4), or in columns (3.22).
 */
#ifndef FORMAT_EVENTS_EVENTS_ENCODE_H
#define FORMAT_EVENTS_EVENTS_ENCODE_H

#include "format/events/event_check.h"
#include "format/events/event_columns.h"
#include "format/events/typed_columns_encode.h"
#include "format/values/encode_buffer.h"

/** The owner initializes the checker, and all other fields to 0. */
typedef struct event_encoder {
	event_checker checker;
	uint64_t last_counter; /**< Counter of the last event with a time; in a new block, the base counter. */
	uint64_t last_address; /**< Address in the last native memory event of the block; 0 if none. */
	uint64_t last_object;  /**< That of the last object of the block that was freed or resized; 0 if none. */
	uint32_t collection;   /**< Number of the latest collection; 0 if it has none. */
	uint32_t last_number;  /**< The highest collection number so far. */
	int has_counted;       /**< 1: the encoder assigned a number to a collection. */
	int is_numbered;       /**< 1: the caller numbered the latest collection that started. */
	uint64_t written;      /**< Events written. The owner sets it to 0. */
} event_encoder;

/**
 * The room, in bytes, that events_encode() keeps free after the events: for the end of the list, a CLOCK and a
 * checksum. A buffer passed to events_encode() must have it. A block that was started can therefore always be ended
 * without another allocation.
 */
#define EVENTS_TAIL_ROOM (1 + 2 * MPROF_VARINT_MAX_LENGTH + 4)

/**
 * Maximum size of an encoded event without arguments, that of resized memory: a byte, five varints of 64 bits, two
 * remainders of addresses, an ID. The last 8 bytes are for stores of varints, which write eight bytes at a time.
 */
#define EVENT_ROOM (1 + 5 * MPROF_VARINT_MAX_LENGTH + 2 + 5 + 8)

/** Maximum length of a stack section in bytes: a byte, and varints of 32 bits. */
#define EVENT_SECTION_ROOM(frames) (1 + (2 + (frames)) * 5)

/**
 * Appends a stack section: \p kept outermost frames of the previous stack stay, and \p frames replace the others,
 * innermost first.
 */
void event_encode_section(encode_buffer *buffer, size_t kept, const uint32_t *frames, size_t count);

/**
 * Appends events up to the first one that cannot be written. \p taken receives the number of events written or, if
 * lossy, left out. encode_buffer::status does not change.
 *
 * \return #MPROF_OK
 * \return #MPROF_ERR_UNSUPPORTED, #MPROF_ERR_ARGUMENT, #MPROF_ERR_UNDEFINED_ID: an event failed event_check()
 * \return #MPROF_ERR_MEMORY: out of memory
 * \return #MPROF_ERR_LIMIT: the events exceed encode_buffer::limit
 */
mprof_status events_encode(event_encoder *encoder, encode_buffer *buffer, const mprof_event *events, size_t count,
			   size_t *taken);

/** The events of a block of columns. */
typedef struct event_columns {
	mprof_allocator allocator;
	uint8_t *symbols;
	uint64_t *values[EVENT_COLUMNS];  /**< NULL for the symbols and the rows. */
	size_t counts[EVENT_COLUMNS];     /**< Values in each column; the events in that of the symbols. */
	size_t capacities[EVENT_COLUMNS]; /**< Elements that each array has room for. */
	encode_buffer rows;
	uint64_t last_object; /**< Address of the last object; 0 at first. */
	typed_row *typed;     /**< The rows that may become columns. */
	size_t typed_count;
	size_t typed_capacity;
	const type_shapes *shapes; /**< Of the log, set by the owner; NULL: events of types remain rows. */
	typed_split split;
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
	return columns->counts[EVENT_COLUMN_SYMBOLS] == EVENT_COLUMNS_MAX_EVENTS ||
	       columns->rows.length >= EVENT_COLUMNS_MAX_ROW_BYTES;
}

/**
 * Appends the number of events, the lengths of the columns, and the columns; events of types are in columns if these
 * are permitted and smaller. Returns the length of everything after the number of events, in bytes, which writers
 * compress (doc/format.md, 3.23); 0 if out of memory.
 */
size_t event_columns_encode(event_columns *columns, encode_buffer *block);

#endif
