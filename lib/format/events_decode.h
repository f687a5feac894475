/* SPDX-License-Identifier: MIT */
/**
 * \file format/events_decode.h
 * \brief Event records (doc/format.md, section 4) from memory to arrays of mprof_event.
 */
#ifndef FORMAT_EVENTS_DECODE_H
#define FORMAT_EVENTS_DECODE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "format/event_codes.h"

/**
 * What an event byte means, as numbers that decoding takes without asking what kind of event it is.
 *
 * An event is a byte, one or two varints, and extras. The first varint, with the bits that the byte holds put below it,
 * is called the main number here. Each of main and second goes to one field of the event or to none, which is said by
 * masks, 0 or -1. Sixteen bytes, by which the table is indexed faster than by others.
 */
typedef struct event_decode_entry {
	uint32_t head;      /**< The bytes of mprof_event before the id, as they stand in memory. */
	uint8_t form;       /**< An #event_form. */
	uint8_t main_shift; /**< Bits of the main number that the byte holds: 5 or 0. */
	uint8_t main_low;   /**< Those bits. */
	uint8_t is_slow;    /**< 1: left to the careful path. */
	int8_t main_id_mask;
	int8_t main_value_mask;
	int8_t main_time_mask;
	int8_t second_value_mask;
	int8_t second_time_mask;
	int8_t class_size_mask; /**< It is that of the class's objects (directive 18). */
	uint16_t extras;        /**< Varints that follow, as EVENT_EXTRAS(); the event has a detail for them. */
} event_decode_entry;

typedef struct events_decode_table {
	/** Of enter, leave and allocations without extras, which make up most logs; 0 for all other bytes. */
	uint32_t packed_heads[256];
	event_decode_entry entries[256];
	/**
	 * Bytes that begin events without a second varint: those where these bits of the byte have this value. Implicit
	 * leaves, allocations of fixed size, or both.
	 */
	uint8_t single_mask;
	uint8_t single_value;
	uint8_t has_single;         /**< 1: implicit leaves occur. */
	uint8_t has_sizes;          /**< 1: allocations of fixed size occur. */
	uint8_t has_extras;         /**< 1: allocations have extras. */
	uint8_t has_frames;         /**< 1: stack sections stand in front of most allocations. */
	uint8_t extracts;           /**< 1: varint_word_extract() may be used. */
	uint8_t doubts_monitors;    /**< 1: the times of monitor events may be garbage: events_decode_state::latest. */
	const id_map *object_sizes; /**< By class. */
} events_decode_table;

/** Fills the table for a dialect with the directives in force. The sizes are borrowed, and may become more. */
void events_decode_table_build(events_decode_table *table, const dialect_rules *rules, uint64_t directives,
			       const id_map *object_sizes);

/** Whether a log of Mono tells the numbers of collections (EVENT_FORM_RESIZE). */
typedef enum collection_numbers {
	COLLECTION_NUMBERS_UNKNOWN, /**< No event of a collection was met. */
	COLLECTION_NUMBERS_NONE,
	COLLECTION_NUMBERS_LIKELY, /**< The first of them may have the first number. */
	COLLECTION_NUMBERS_SURE
} collection_numbers;

/** What is read, and how far it is. Kept between calls. */
typedef struct events_decode_state {
	const uint8_t *bytes; /**< Where events begin. May move between calls. */
	size_t length;        /**< Where they end. */
	size_t readable;      /**< At least length: bytes that may be looked at, which makes the last events faster. */
	size_t position;      /**< Bytes read so far. */
	uint64_t counter;     /**< That of the last event read, or what the first one starts from. */
	uint64_t earliest;    /**< No event is before this. */
	uint64_t latest;      /**< Nor behind this, which holds if has_latest is set. */
	uint64_t address;     /**< Of the last event of native memory; 0 at first. */
	uint8_t has_latest;
	uint8_t numbers; /**< A #collection_numbers, which changes with the events that are met. */
} events_decode_state;

/** Where events go. */
typedef struct events_decode_batch {
	mprof_event *events;
	size_t capacity;
	size_t count;                /**< Filled. */
	mprof_event_detail *details; /**< For events with extras. May be NULL where no directive lets them have some. */
	size_t detail_capacity;
	size_t detail_count;
	uint64_t *frames; /**< For stack sections. May be NULL, with a capacity of 0, until there is one. */
	size_t frame_capacity;
	size_t frame_count;
	size_t frames_needed; /**< Capacity that the next stack section takes, after EVENTS_DECODE_NO_ROOM. */
} events_decode_batch;

/** Most frames of a stack section: more than fit on a thread's stack. */
#define EVENTS_MOST_FRAMES (1 << 20)

/** Why decoding stopped. Whatever it was, the position is behind the last event that was stored. */
typedef enum events_decode_result {
	EVENTS_DECODE_FULL,       /**< No room is left in the batch. */
	EVENTS_DECODE_DONE,       /**< All bytes are read. */
	EVENTS_DECODE_CUT,        /**< The bytes end inside an event. */
	EVENTS_DECODE_LIST_END,   /**< There is a byte 0, which ends a list of events. */
	EVENTS_DECODE_BAD_CODE,   /**< The byte is no event. */
	EVENTS_DECODE_BAD_VARINT, /**< A varint does not fit 64 bits. */
	EVENTS_DECODE_BAD_ID,     /**< An id does not fit 32 bits. */
	EVENTS_DECODE_NO_SIZE,    /**< The size of an object is that of its class, which is not known. */
	EVENTS_DECODE_NO_ROOM,    /**< The batch is empty, and still has no room for the frames of a stack section. */
	EVENTS_DECODE_DEEP        /**< A stack section has more frames than EVENTS_MOST_FRAMES. */
} events_decode_result;

events_decode_result events_decode(const events_decode_table *table, events_decode_state *state,
				   events_decode_batch *batch);

#endif
