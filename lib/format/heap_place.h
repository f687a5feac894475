/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_place.h
 * \brief Shared by the two parts of heap_decode(), for the records of mprof2 and for the items of Mono.
 */
#ifndef FORMAT_HEAP_PLACE_H
#define FORMAT_HEAP_PLACE_H

#include "format/heap_decode.h"
#include "format/varint_words.h"

/** The position of the decoder. A record is decoded with a copy, which replaces the original only on success. */
typedef struct heap_place {
	const uint8_t *cursor; /**< The next byte; after a fault, the position of the fault. */
	const uint8_t *limit;
	const heap_item_form *items; /**< NULL for mprof2. */
	uint64_t previous_address;
	uint64_t references_left;
	uint32_t shift;
} heap_place;

/** Decodes a varint. Returns 0 on a fault, which heap_number_fault() returns. */
static inline int heap_number_take(heap_place *place, uint64_t *value)
{
	const uint8_t *next = varint_word_get(place->cursor, place->limit, value);

	if (__builtin_expect(next == NULL, 0))
		return 0;
	place->cursor = next;
	return 1;
}

/** Why no integer can be decoded at \p place. */
heap_decode_result heap_number_fault(const heap_place *place);

/**
 * Decodes \p count references. Returns #HEAP_DECODE_BAD_COUNT if \p count exceeds the bytes that are left, and
 * #HEAP_DECODE_FULL if the batch is not empty and has too little room. With an empty batch that is too small, the first
 * references are decoded, and heap_place::references_left is the number of the others.
 */
heap_decode_result heap_references_take(heap_place *place, uint64_t count, heap_decode_batch *batch,
					mprof_event_detail *detail);

/** The length of an integer in unity-fixed, in bytes. */
#define HEAP_FIXED_LENGTH 4

/** Decodes an integer of an item: a varint, or 4 bytes in unity-fixed. Returns 0 on a fault, as heap_number_take(). */
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

/** Decodes an item. #HEAP_DECODE_LIST_END and faults of its first integer leave \p place at the start of the item. */
heap_decode_result heap_item_take(heap_place *place, heap_decode_batch *batch, mprof_event *event,
				  mprof_event_detail *detail);

#endif
