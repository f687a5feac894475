/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_decode.h
 * \brief Decodes the records of HEAP_DATA blocks (doc/format.md, 3.17), or the items that Mono's own writers put there
 * (doc/dialects.md), to arrays of mprof_event.
 */
#ifndef FORMAT_HEAP_DECODE_H
#define FORMAT_HEAP_DECODE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "format/heap_batch.h"
#include "format/heap_item_layout.h"

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

#endif
