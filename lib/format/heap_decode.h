/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_decode.h
 * \brief The records of HEAP_DATA blocks (doc/format.md, 3.17), or the items that Mono's own writers put there
 * (doc/dialects.md), from memory to arrays of mprof_event.
 */
#ifndef FORMAT_HEAP_DECODE_H
#define FORMAT_HEAP_DECODE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "format/heap_items.h"

/** What is read, and how far it is. Kept between calls. */
typedef struct heap_decode_state {
	const uint8_t *bytes;        /**< Where records begin. May move between calls. */
	size_t length;               /**< Where they end. */
	size_t position;             /**< Bytes read so far. */
	size_t fault;                /**< Where the fault is, after one. */
	uint64_t previous_address;   /**< To which the next one is relative. */
	uint64_t references_left;    /**< Of an object of which only a part was given out. */
	uint64_t counter;            /**< Of all events. */
	uint32_t shift;              /**< Bits that are 0 in all addresses. */
	const heap_item_form *items; /**< The form of Mono's items; NULL for records. Of these alone the three above. */
} heap_decode_state;

/** Where events go. */
typedef struct heap_decode_batch {
	mprof_event *events;
	mprof_event_detail *details; /**< One for each event. */
	size_t capacity;             /**< Of both. */
	size_t count;                /**< Filled. */
	uint64_t *references;        /**< Of all events. */
	size_t reference_capacity;
	size_t reference_count;
} heap_decode_batch;

/** Why decoding stopped. Whatever it was, the position is behind the last event that was stored. */
typedef enum heap_decode_result {
	HEAP_DECODE_FULL,       /**< No room is left in the batch. */
	HEAP_DECODE_DONE,       /**< All bytes are read. */
	HEAP_DECODE_CUT,        /**< The bytes end inside a record. */
	HEAP_DECODE_LIST_END,   /**< There is a varint 0, which ends a list of records. */
	HEAP_DECODE_BAD_TYPE,   /**< There is no such record. */
	HEAP_DECODE_BAD_VARINT, /**< A varint does not fit 64 bits. */
	HEAP_DECODE_BAD_ID,     /**< An id is 0 where it must not be, or does not fit 32 bits. */
	HEAP_DECODE_NO_SIZE,    /**< The objects of the class have no fixed size. */
	HEAP_DECODE_BAD_SIZE,   /**< A size does not fit 32 bits. */
	HEAP_DECODE_BAD_COUNT   /**< There are more references than bytes. */
} heap_decode_result;

/** A fault as a message. */
const char *heap_decode_fault(heap_decode_result result);

/**
 * Decodes records until something stops it. \p sizes has those classes whose objects have a fixed size. An object with
 * more references than the batch can hold at all is given out in pieces: the object with the first of them, then
 * events that hold nothing else.
 */
heap_decode_result heap_decode(heap_decode_state *state, const id_map *sizes, heap_decode_batch *batch);

#endif
