/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/heap_decode.h
 * \brief Decodes the records of HEAP_DATA blocks (doc/format.md, 3.17), or the items that Mono's own writers put there
 * (doc/dialects.md), to arrays of mprof_event.
 */
#ifndef FORMAT_BLOCKS_HEAP_DECODE_H
#define FORMAT_BLOCKS_HEAP_DECODE_H

#include <mprof/format.h>
#include <mprof/parser.h>

#include "base/id_map.h"
#include "format/values/content_cursor.h"
#include "format/values/dialect.h"
#include "format/blocks/heap_records.h"
#include "format/values/known_ids.h"
#include "format/values/varint.h"

/** The output of the decoder. The arrays are borrowed. */
typedef struct heap_decode_batch {
	mprof_event *events;
	mprof_event_detail *details; /**< One for each event. */
	size_t capacity;             /**< Capacity of both arrays, in elements. */
	size_t count;                /**< Number of events stored. */
	uint64_t *references;        /**< References of all events. */
	size_t reference_capacity;
	size_t reference_count;
	uint64_t *offsets; /**< One for each reference; required only by #heap_decode_state::has_offsets. */
} heap_decode_batch;

/** Why decoding stopped. In each case the position is after the last event that was stored. */
typedef enum heap_decode_result {
	HEAP_DECODE_FULL,       /**< The batch is full. */
	HEAP_DECODE_DONE,       /**< All bytes are decoded. */
	HEAP_DECODE_TRUNCATED,  /**< The bytes end inside a record. */
	HEAP_DECODE_LIST_END,   /**< The next varint is 0, which ends a list of records. */
	HEAP_DECODE_BAD_TYPE,   /**< The record type is unknown. */
	HEAP_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	HEAP_DECODE_BAD_ID,     /**< An ID is 0 where it must not be, or exceeds 32 bits. */
	HEAP_DECODE_NO_SIZE,    /**< The objects of the class have no fixed size. */
	HEAP_DECODE_BAD_SIZE,   /**< A size exceeds 32 bits. */
	HEAP_DECODE_BAD_COUNT,  /**< The reference count exceeds the number of bytes left. */
	HEAP_DECODE_BAD_RUN     /**< A run of references is empty, or longer than the list of references. */
} heap_decode_result;

/** The input and the state of the decoder, which persists between calls. */
typedef struct heap_decode_state {
	const uint8_t *bytes;           /**< Start of the records. May move between calls. */
	size_t length;                  /**< Length of the records, in bytes. */
	size_t position;                /**< Bytes decoded so far. */
	size_t fault;                   /**< After a fault: its offset in the records. */
	uint64_t previous_address;      /**< The next address is relative to it. Records only. */
	uint64_t references_left;       /**< References of an object that are still to be returned. */
	uint64_t run_left;              /**< References of a run that are still to be returned, ... */
	uint64_t next_offset;           /**< ... and the offset of the first of them in its object. */
	uint64_t counter;               /**< The counter of all events. */
	uint32_t shift;                 /**< Number of low bits that are 0 in all addresses. Records only. */
	uint8_t has_offsets;            /**< References may have offsets (directive 26). Records only. */
	uint8_t has_runs;               /**< The references that are still to be returned are in runs. */
	const heap_item_layout *layout; /**< The layout of Mono's items; NULL for records. */
} heap_decode_state;

/** The error message for a fault. Static text. */
const char *heap_decode_fault(heap_decode_result result);

/**
 * Decodes records until the batch is full, the bytes end, or a fault is found. \p sizes maps the classes whose objects
 * have a fixed size to that size. An object with more references than an empty batch can hold is returned in pieces:
 * the object with the first references, then #MPROF_EVENT_HEAP_REFERENCES events with the others.
 */
heap_decode_result heap_decode(heap_decode_state *state, const id_map *sizes, heap_decode_batch *batch);

/** The layout of a block and the position of its items. */
typedef struct heap_items_result {
	heap_layout layout;
	int is_sure;       /**< The clocks are in order, which is improbable in a wrong layout. */
	size_t list_start; /**< Offset of the items in the content. */
	size_t list_end;   /**< Offset of the 0 that ends the items; if truncated, the length of the content. */
} heap_items_result;

/**
 * Determines the layout of the content at the cursor and decodes the content; if it is truncated, up to the last
 * complete item. \p known_layout is that of an earlier block of the log, or #HEAP_LAYOUT_NONE. It is preferred; the
 * items are then checked only when they are fetched. Fills the fields of \p block that depend on the content. If no
 * layout fits, the cursor keeps the fault of the likeliest layout.
 */
void heap_items_decode(content_cursor *cursor, const dialect_rules *rules, heap_layout known_layout,
		       const known_ids *known, int is_truncated, mprof_block *block, heap_items_result *result);

#endif
