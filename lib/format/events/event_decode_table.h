/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_decode_table.h
 * \brief The event codes as a table for the decoder.
 */
#ifndef FORMAT_EVENTS_EVENT_DECODE_TABLE_H
#define FORMAT_EVENTS_EVENT_DECODE_TABLE_H

#include <mprof/format.h>
#include <mprof/reader.h>

#include "base/id_map.h"
#include "format/events/event_codes.h"

#include <stddef.h>
#include <string.h>

/**
 * The meaning of an event code, in a form that lets the decoder handle all kinds without branches.
 *
 * An event consists of a byte, one or two varints, and optional fields. The *main number* is the first varint, shifted
 * left by main_shift and combined with the bits in the byte. The *second number* is the second varint. Each number is
 * stored in at most one field of the event; masks of 0 or -1 select that field. The size of an entry is 16 bytes,
 * because indexing the table is then fastest.
 */
typedef struct event_decode_entry {
	uint32_t event_template; /**< The bytes of mprof_event before the ID, in memory order. */
	uint8_t layout;          /**< An #event_layout. */
	uint8_t main_shift;      /**< Bits of the main number that the byte holds: 5 or 0. */
	uint8_t main_low;        /**< The bits of the main number that the byte holds. */
	uint8_t is_slow;         /**< 1: decoded by the slow path. */
	int8_t main_id_mask;
	int8_t main_value_mask;
	int8_t main_time_mask;
	int8_t second_value_mask;
	int8_t second_time_mask;
	int8_t class_size_mask; /**< The value is the object size of the class (directive 18). */
	uint16_t fields;        /**< Optional fields, as EVENT_FIELDS(); if there are any, the event has a detail. */
} event_decode_entry;

typedef struct event_decode_table {
	/**
	 * The templates of enter, leave and allocation events without optional fields, which are the majority in most
	 * logs; 0 for all other bytes.
	 */
	uint32_t packed_templates[256];
	event_decode_entry entries[256];
	/**
	 * An event has no second varint if its byte, masked with single_mask, equals single_value. This holds for
	 * implicit leaves, allocations of fixed size, or both.
	 */
	uint8_t single_mask;
	uint8_t single_value;
	uint8_t has_single;            /**< 1: implicit leaves occur. */
	uint8_t has_sizes;             /**< 1: allocations of fixed size occur. */
	uint8_t has_details;           /**< 1: some events have a detail. */
	uint8_t has_fields;            /**< 1: allocations have optional fields. */
	uint8_t has_frames;            /**< 1: a stack section precedes most allocations. */
	uint8_t extracts;              /**< 1: varint_word_extract() may be used. */
	uint8_t has_bad_monitor_times; /**< See dialect_rules::has_bad_monitor_times. */
	/**
	 * All bits: allocations of fixed size get #EVENT_SIZE_UNKNOWN, and object_sizes must be empty. One that has
	 * this size itself is an error then. 0: they get the size of their class.
	 */
	uint64_t unsized_mask;
	const id_map *object_sizes; /**< Fixed object sizes in bytes, by class ID. Borrowed. */
} event_decode_table;

/** The size of an allocation of fixed size, which is not looked up. */
#define EVENT_SIZE_UNKNOWN UINT64_MAX

/** Fills the table for a dialect and the directives in force. \p object_sizes is borrowed and may grow later. */
void event_decode_table_build(event_decode_table *table, const dialect_rules *rules, uint64_t directives,
			      const id_map *object_sizes);

/** Sign-extends a mask of the table, 0 or -1, to 64 bits. */
static inline uint64_t event_mask(int8_t mask)
{
	return (uint64_t)(int64_t)mask;
}

/** Stores an event. All fields are written, so the caller's array need not be cleared. */
static inline void event_store(mprof_event *event, uint32_t event_template, uint64_t id, uint64_t counter,
			       uint64_t value)
{
	memcpy(event, &event_template, sizeof(event_template));
	event->id = (uint32_t)id;
	event->counter = counter;
	event->value = value;
	event->more.detail_bits = 0;
}

/** As event_store() with a value of 0, in as few stores as possible. */
static inline void event_store_start(mprof_event *event, uint32_t event_template, uint32_t id, uint64_t counter)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t start = event_template | (uint64_t)id << 32;

	memcpy(event, &start, sizeof(start));
	event->counter = counter;
	memset((uint8_t *)event + offsetof(mprof_event, value), 0, sizeof(*event) - offsetof(mprof_event, value));
#else
	event_store(event, event_template, id, counter, 0);
#endif
}

/**
 * Stores an event of any layout, without its optional fields. \p size is the object size of the class, or 0. Returns
 * the counter of the event.
 */
static inline uint64_t event_store_any(mprof_event *event, const event_decode_entry *entry, uint64_t main_number,
				       uint64_t second, uint64_t size, uint64_t counter)
{
	counter += (main_number & event_mask(entry->main_time_mask)) | (second & event_mask(entry->second_time_mask));
	event_store(event, entry->event_template, main_number & event_mask(entry->main_id_mask), counter,
		    (main_number & event_mask(entry->main_value_mask)) |
			    (second & event_mask(entry->second_value_mask)) | size);
	return counter;
}

/** The values of the optional fields of an event, indexed by #event_field. */
typedef struct event_field_values {
	uint64_t of[EVENT_FIELD_COUNT];
} event_field_values;

/** Stores the optional fields in the detail of an event. Returns 0 without a change if an ID exceeds 32 bits. */
static inline int event_store_detail(mprof_event *event, mprof_event_detail *detail, const event_field_values *numbers)
{
	uint64_t handle = numbers->of[EVENT_FIELD_HANDLE];

	if ((numbers->of[EVENT_FIELD_CALLER] | numbers->of[EVENT_FIELD_STACK]) > UINT32_MAX)
		return 0;
	detail->struct_size = sizeof(*detail);
	detail->object = numbers->of[EVENT_FIELD_OBJECT];
	detail->caller = (uint32_t)numbers->of[EVENT_FIELD_CALLER];
	detail->stack = (uint32_t)numbers->of[EVENT_FIELD_STACK];
	detail->handle_type = handle & EVENT_HANDLE_TYPE_MASK;
	detail->reference_count = 0;
	detail->references = NULL;
	detail->samples = 0;
	detail->size = 0;
	detail->started = 0;
	detail->offsets = NULL;
	detail->arguments = NULL;
	detail->argument_size = 0;
	event->value |= numbers->of[EVENT_FIELD_VALUE] | handle >> EVENT_HANDLE_TYPE_BITS;
	event->more.detail = detail;
	return 1;
}

/** Stores the detail of a stack section event. The \p count frames are borrowed. */
static inline void event_store_section(mprof_event *event, mprof_event_detail *detail, const uint64_t *frames,
				       uint32_t count)
{
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	detail->reference_count = count;
	detail->references = frames;
	event->more.detail = detail;
}

/** Whether a log of Mono contains collection numbers (EVENT_LAYOUT_RESIZE). */
typedef enum collection_numbers {
	COLLECTION_NUMBERS_UNKNOWN, /**< No collection event was decoded yet. */
	COLLECTION_NUMBERS_NONE,
	COLLECTION_NUMBERS_LIKELY, /**< The first such event may have the first number. */
	COLLECTION_NUMBERS_SURE
} collection_numbers;

/** The input and the progress of decoding. Kept between calls. */
typedef struct events_decode_state {
	const uint8_t *bytes; /**< Start of the events. May move between calls. */
	size_t length;        /**< Length of the events, in bytes. */
	size_t readable;      /**< Readable bytes, at least length. More than length speed up the last events. */
	size_t position;      /**< Bytes decoded so far. */
	uint64_t counter;     /**< Counter of the last event decoded; initially the base counter. */
	uint64_t earliest;    /**< No event has a counter before this one. */
	uint64_t latest;      /**< No event has a counter after this one. Valid if has_latest is set. */
	uint64_t address;     /**< Address in the last native memory event; initially 0. */
	uint64_t object;      /**< That of the last object that was freed or resized; initially 0. */
	uint8_t has_latest;
	uint8_t numbers; /**< A #collection_numbers, updated by each collection event. */
} events_decode_state;

/**
 * A stack section of a batch. The details of a batch are in the order of its events, so those between the details of
 * two sections belong to events after the first section.
 */
typedef struct event_section {
	uint32_t detail_index; /**< Index of its detail in the batch, which contains the frames that are added. */
	uint32_t kept;         /**< Frames of the previous call stack that remain; equals mprof_event::value. */
} event_section;

/** The output of decoding. The arrays are borrowed. */
typedef struct events_decode_batch {
	mprof_event *events;
	size_t capacity;
	size_t count;                /**< Events stored. */
	mprof_event_detail *details; /**< For events with optional fields. May be NULL if no directive permits any. */
	size_t detail_capacity;
	size_t detail_count;
	event_section
		*sections; /**< One for each stack section. Has detail_capacity elements, or is NULL if the dialect
	                              has no stack sections. */
	size_t section_count;
	uint64_t *frames; /**< For stack sections. May be NULL, with a capacity of 0, until EVENTS_DECODE_NO_ROOM. */
	size_t frame_capacity;
	size_t frame_count;
	size_t frames_needed; /**< After EVENTS_DECODE_NO_ROOM: capacity that the next stack section needs. */
} events_decode_batch;

/** Maximum number of frames of a stack section. The stack of a thread cannot hold that many. */
#define EVENTS_MAX_FRAMES (1 << 20)

/** Why decoding stopped. In each case events_decode_state::position is the end of the last event decoded. */
typedef enum events_decode_result {
	EVENTS_DECODE_FULL,       /**< The batch is full. */
	EVENTS_DECODE_DONE,       /**< All bytes are decoded. */
	EVENTS_DECODE_TRUNCATED,  /**< The bytes end inside an event. */
	EVENTS_DECODE_LIST_END,   /**< The next byte is 0, which ends a list of events. */
	EVENTS_DECODE_BAD_CODE,   /**< The next byte is not an event code. */
	EVENTS_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	EVENTS_DECODE_BAD_ID,     /**< An ID exceeds 32 bits. */
	EVENTS_DECODE_NO_SIZE,    /**< The object size of the class is needed, but not known. */
	EVENTS_DECODE_NO_ROOM,    /**< The batch is empty and has too little room for the frames of a stack section. */
	EVENTS_DECODE_ROWS_LEFT,  /**< A block of columns has more rows than events. */
	EVENTS_DECODE_TOO_DEEP,   /**< A stack section has more frames than EVENTS_MAX_FRAMES. */
	EVENTS_DECODE_BAD_ARGUMENTS /**< The columns do not have the arguments of the events of types. */
} events_decode_result;

/**
 * The functions are called on any thread, but all those for a block on the same one. They never allocate: the reader
 * provides memory for the state of each block, and scratch memory for each thread. Both are used again for later
 * blocks.
 */
typedef struct event_visitor {
	size_t state_size;   /**< Size of a state, in bytes. */
	size_t scratch_size; /**< Size of the scratch memory, in bytes. */
	uint32_t columns;    /**< The columns that are wanted, bits of #mprof_column. */

	/** Initializes scratch memory. Called once for each thread, on the caller's. */
	void (*init)(void *scratch);

	/**
	 * Called before the events of a block. \p counter is the base counter of the block. The scratch memory is for
	 * this state until end(), or until begin() is called for another one.
	 */
	void (*begin)(void *state, void *scratch, uint64_t counter);

	/** Called after the last event, if the state has all of them. */
	void (*end)(void *state);

	/**
	 * Called with the next events, in one of two forms. Allocations of fixed size have #EVENT_SIZE_UNKNOWN. Returns
	 * 0 if the visit is of no use and ends.
	 */
	int (*add_columns)(void *state, const mprof_columns *columns);
	int (*add_events)(void *state, const mprof_event *events, size_t count);
} event_visitor;

#endif
