/* SPDX-License-Identifier: MIT */
/**
 * \file format/events_decode.h
 * \brief Decodes events (doc/format.md, section 4) to arrays of mprof_event.
 */
#ifndef FORMAT_EVENTS_DECODE_H
#define FORMAT_EVENTS_DECODE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "format/event_codes.h"

/**
 * The meaning of an event code, in a form that lets the decoder handle all kinds without branches.
 *
 * An event consists of a byte, one or two varints, and optional fields (extras). The first varint, shifted left by the
 * packed bits of the byte and combined with them, is called the main number here. The main and the second number are
 * each stored in at most one field of the event; masks of 0 or -1 select it. The size is 16 bytes, because indexing the
 * table is then fastest.
 */
typedef struct event_decode_entry {
	uint32_t head;      /**< The bytes of mprof_event before the ID, in memory order. */
	uint8_t form;       /**< An #event_form. */
	uint8_t main_shift; /**< Bits of the main number that the byte holds: 5 or 0. */
	uint8_t main_low;   /**< Those bits. */
	uint8_t is_slow;    /**< 1: decoded by the slow path. */
	int8_t main_id_mask;
	int8_t main_value_mask;
	int8_t main_time_mask;
	int8_t second_value_mask;
	int8_t second_time_mask;
	int8_t class_size_mask; /**< The value is the object size of the class (directive 18). */
	uint16_t extras;        /**< Optional fields, as EVENT_EXTRAS(); if there are any, the event has a detail. */
} event_decode_entry;

typedef struct events_decode_table {
	/**
	 * The heads of enter, leave and allocation events without optional fields, which are the majority in most logs;
	 * 0 for all other bytes.
	 */
	uint32_t packed_heads[256];
	event_decode_entry entries[256];
	/**
	 * An event has no second varint if its byte, masked with single_mask, equals single_value. This holds for
	 * implicit leaves, allocations of fixed size, or both.
	 */
	uint8_t single_mask;
	uint8_t single_value;
	uint8_t has_single;      /**< 1: implicit leaves occur. */
	uint8_t has_sizes;       /**< 1: allocations of fixed size occur. */
	uint8_t has_extras;      /**< 1: allocations have optional fields. */
	uint8_t has_frames;      /**< 1: a stack section precedes most allocations. */
	uint8_t extracts;        /**< 1: varint_word_extract() may be used. */
	uint8_t doubts_monitors; /**< 1: the times of monitor events may be garbage; see events_decode_state::latest. */
	const id_map *object_sizes; /**< By class ID. */
} events_decode_table;

/** Fills the table for a dialect and the directives in force. \p object_sizes is borrowed and may grow later. */
void events_decode_table_build(events_decode_table *table, const dialect_rules *rules, uint64_t directives,
			       const id_map *object_sizes);

/** Whether a log of Mono contains collection numbers (EVENT_FORM_RESIZE). */
typedef enum collection_numbers {
	COLLECTION_NUMBERS_UNKNOWN, /**< No collection event was decoded yet. */
	COLLECTION_NUMBERS_NONE,
	COLLECTION_NUMBERS_LIKELY, /**< The first such event may have the first number. */
	COLLECTION_NUMBERS_SURE
} collection_numbers;

/** The input and the progress of decoding. Kept between calls. */
typedef struct events_decode_state {
	const uint8_t *bytes; /**< Start of the events. May move between calls. */
	size_t length;        /**< Of the events, in bytes. */
	size_t readable;      /**< Readable bytes, at least length. More make the last events faster. */
	size_t position;      /**< Bytes decoded so far. */
	uint64_t counter;     /**< Of the last event decoded; initially the base counter. */
	uint64_t earliest;    /**< No event has a counter before this one. */
	uint64_t latest;      /**< No event has a counter after this one. Valid if has_latest is set. */
	uint64_t address;     /**< Of the last native memory event; initially 0. */
	uint8_t has_latest;
	uint8_t numbers; /**< A #collection_numbers, updated by each collection event. */
} events_decode_state;

/** The output of decoding. The arrays are borrowed. */
typedef struct events_decode_batch {
	mprof_event *events;
	size_t capacity;
	size_t count;                /**< Events stored. */
	mprof_event_detail *details; /**< For events with optional fields. May be NULL if no directive permits any. */
	size_t detail_capacity;
	size_t detail_count;
	uint64_t *frames; /**< For stack sections. May be NULL, with a capacity of 0, until EVENTS_DECODE_NO_ROOM. */
	size_t frame_capacity;
	size_t frame_count;
	size_t frames_needed; /**< After EVENTS_DECODE_NO_ROOM: capacity that the next stack section needs. */
} events_decode_batch;

/** Maximum number of frames of a stack section. The stack of a thread cannot hold that many. */
#define EVENTS_MOST_FRAMES (1 << 20)

/** Why decoding stopped. In each case events_decode_state::position is the end of the last event decoded. */
typedef enum events_decode_result {
	EVENTS_DECODE_FULL,       /**< The batch is full. */
	EVENTS_DECODE_DONE,       /**< All bytes are decoded. */
	EVENTS_DECODE_CUT,        /**< The bytes end inside an event. */
	EVENTS_DECODE_LIST_END,   /**< The next byte is 0, which ends a list of events. */
	EVENTS_DECODE_BAD_CODE,   /**< The next byte is not an event code. */
	EVENTS_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	EVENTS_DECODE_BAD_ID,     /**< An ID exceeds 32 bits. */
	EVENTS_DECODE_NO_SIZE,    /**< The object size of the class is needed, but not known. */
	EVENTS_DECODE_NO_ROOM,    /**< The batch is empty and has too little room for the frames of a stack section. */
	EVENTS_DECODE_DEEP        /**< A stack section has more frames than EVENTS_MOST_FRAMES. */
} events_decode_result;

/** Decodes events until the batch is full, the bytes end, or an event cannot be decoded. */
events_decode_result events_decode(const events_decode_table *table, events_decode_state *state,
				   events_decode_batch *batch);

#endif
