/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_place.h
 * \brief What the two halves of heap_decode() share: that for mprof2's records and that for Mono's items.
 */
#ifndef FORMAT_HEAP_PLACE_H
#define FORMAT_HEAP_PLACE_H

#include "format/heap_decode.h"
#include "format/varint_words.h"

/** Where decoding is. A record is taken from a copy, which replaces the original if all went well. */
typedef struct heap_place {
	const uint8_t *cursor; /**< At the fault, after one. */
	const uint8_t *limit;
	const heap_item_form *items; /**< NULL for mprof2. */
	uint64_t previous_address;
	uint64_t references_left;
	uint32_t shift;
} heap_place;

/** Takes a varint, or returns 0 on a fault, which heap_number_fault() tells. */
static inline int heap_number_take(heap_place *place, uint64_t *value)
{
	const uint8_t *next = varint_word_get(place->cursor, place->limit, value);

	if (__builtin_expect(next == NULL, 0))
		return 0;
	place->cursor = next;
	return 1;
}

/** Why there is no varint at the place. */
heap_decode_result heap_number_fault(const heap_place *place);

/**
 * Takes so many references, or as many of them as the batch has room for. Their number may be more than the bytes at
 * the place can be.
 */
heap_decode_result heap_references_take(heap_place *place, uint64_t count, heap_decode_batch *batch,
					mprof_event_detail *detail);

/** The bytes of an integer of unity-fixed. */
#define HEAP_FIXED_LENGTH 4

/** A varint of an item. As heap_number_take(). */
static inline int heap_item_number_take(heap_place *place, uint64_t *value)
{
	if (__builtin_expect(!place->items->has_fixed_ints, 1))
		return heap_number_take(place, value);
	if (place->limit - place->cursor < HEAP_FIXED_LENGTH)
		return 0;
	*value = bytes_load_32(place->cursor);
	place->cursor += HEAP_FIXED_LENGTH;
	return 1;
}

/** Takes an item. HEAP_DECODE_LIST_END and faults of its first varint leave the place in front of it. */
heap_decode_result heap_item_take(heap_place *place, heap_decode_batch *batch, mprof_event *event,
				  mprof_event_detail *detail);

#endif
