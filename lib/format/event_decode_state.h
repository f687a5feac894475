/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_decode_state.h
 * \brief The input, output and results of decoding events.
 */
#ifndef FORMAT_EVENT_DECODE_STATE_H
#define FORMAT_EVENT_DECODE_STATE_H

#include <mprof/format.h>

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
	EVENTS_DECODE_TOO_DEEP    /**< A stack section has more frames than EVENTS_MAX_FRAMES. */
} events_decode_result;

#endif
