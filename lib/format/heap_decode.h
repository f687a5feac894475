/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_decode.h
 * \brief The records of HEAP_DATA blocks (doc/format.md, 3.17), or the items that Mono's own writers put there
 * (doc/dialects.md), decoded from memory into arrays of mprof_event.
 */
#ifndef FORMAT_HEAP_DECODE_H
#define FORMAT_HEAP_DECODE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "format/heap_items.h"

/** The input and the state of the decoder, which persists between calls. */
typedef struct heap_decode_state {
	const uint8_t *bytes;        /**< Start of the records. May move between calls. */
	size_t length;               /**< Of the records, in bytes. */
	size_t position;             /**< Bytes decoded so far. */
	size_t fault;                /**< After a fault: its offset in the records. */
	uint64_t previous_address;   /**< The next address is relative to it. Records only. */
	uint64_t references_left;    /**< References of an object that are still to be returned. */
	uint64_t counter;            /**< The counter of all events. */
	uint32_t shift;              /**< Number of low bits that are 0 in all addresses. Records only. */
	const heap_item_form *items; /**< The form of Mono's items; NULL for records. */
} heap_decode_state;

/** The output of the decoder. */
typedef struct heap_decode_batch {
	mprof_event *events;
	mprof_event_detail *details; /**< One for each event. */
	size_t capacity;             /**< Of both. */
	size_t count;                /**< Number of events filled. */
	uint64_t *references;        /**< References of all events. */
	size_t reference_capacity;
	size_t reference_count;
} heap_decode_batch;

/** Why decoding stopped. In each case the position is after the last event that was stored. */
typedef enum heap_decode_result {
	HEAP_DECODE_FULL,       /**< The batch is full. */
	HEAP_DECODE_DONE,       /**< All bytes are decoded. */
	HEAP_DECODE_CUT,        /**< The bytes end inside a record. */
	HEAP_DECODE_LIST_END,   /**< The next varint is 0, which ends a list of records. */
	HEAP_DECODE_BAD_TYPE,   /**< The record type is unknown. */
	HEAP_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	HEAP_DECODE_BAD_ID,     /**< An ID is 0 where it must not be, or exceeds 32 bits. */
	HEAP_DECODE_NO_SIZE,    /**< The objects of the class have no fixed size. */
	HEAP_DECODE_BAD_SIZE,   /**< A size exceeds 32 bits. */
	HEAP_DECODE_BAD_COUNT   /**< The reference count exceeds the number of bytes left. */
} heap_decode_result;

/** The error message for a fault. */
const char *heap_decode_fault(heap_decode_result result);

/**
 * Decodes records until the batch is full, the bytes end, or a fault is found. \p sizes maps the classes whose objects
 * have a fixed size to that size. An object with more references than an empty batch can hold is returned in pieces:
 * the object with the first references, then #MPROF_EVENT_HEAP_REFERENCES events with the others.
 */
heap_decode_result heap_decode(heap_decode_state *state, const id_map *sizes, heap_decode_batch *batch);

#endif
