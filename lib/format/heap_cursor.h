/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_cursor.h
 * \brief Decodes the integers, addresses and references of HEAP_DATA blocks: of the records of mprof2 and of the items
 * of Mono. Inline, because a block contains millions of them.
 */
#ifndef FORMAT_HEAP_CURSOR_H
#define FORMAT_HEAP_CURSOR_H

#include "format/heap_batch.h"
#include "format/heap_item_layout.h"
#include "format/varint_words.h"
#include "format/zigzag.h"

/** The position of the decoder. A record is decoded with a copy, which replaces the original only on success. */
typedef struct heap_cursor {
	const uint8_t *next; /**< The next byte; after a fault, the position of the fault. */
	const uint8_t *limit;
	const heap_item_layout *layout; /**< The layout of items; NULL for records. */
	uint64_t previous_address;      /**< Addresses in records are relative to it. */
	uint64_t references_left;       /**< References of the last object that are still to be decoded. */
	uint64_t run_left;              /**< References left of the current run. */
	uint64_t next_offset;           /**< Offset of the next reference of the run in its object. */
	uint32_t shift;                 /**< Low bits of addresses that records do not store. */
	uint8_t has_offsets;            /**< The block may contain offsets (directive 26). */
	uint8_t has_runs;               /**< The references of the current record are in runs with offsets. */
} heap_cursor;

/** The length of an integer in unity-fixed, in bytes. */
#define HEAP_FIXED_LENGTH 4

/** Returns why no integer can be decoded at the cursor: #HEAP_DECODE_TRUNCATED or #HEAP_DECODE_BAD_VARINT. */
heap_decode_result heap_cursor_fault(const heap_cursor *cursor);

/** Decodes a varint. Returns 0 on a fault, which heap_cursor_fault() identifies. */
static inline int heap_cursor_varint(heap_cursor *cursor, uint64_t *value)
{
	const uint8_t *next = varint_word_get(cursor->next, cursor->limit, value);

	if (__builtin_expect(next == NULL, 0))
		return 0;
	cursor->next = next;
	return 1;
}

/**
 * Decodes an integer of an item: a varint, or 4 bytes in unity-fixed. Returns 0 on a fault, as heap_cursor_varint().
 */
static inline int heap_cursor_item_int(heap_cursor *cursor, uint64_t *value)
{
	if (__builtin_expect(!cursor->layout->has_fixed_ints, 1))
		return heap_cursor_varint(cursor, value);
	if (cursor->limit - cursor->next < HEAP_FIXED_LENGTH)
		return 0;
	*value = bytes_load_32(cursor->next);
	cursor->next += HEAP_FIXED_LENGTH;
	return 1;
}

/** Decodes an address of a record or an item. Returns 0 on a fault, as heap_cursor_varint(). */
static inline int heap_cursor_address(heap_cursor *cursor, uint64_t *address)
{
	uint64_t folded;

	if (cursor->layout != NULL)
		return heap_cursor_item_int(cursor, address);
	if (!heap_cursor_varint(cursor, &folded))
		return 0;
	cursor->previous_address += zigzag_unfold(folded) << cursor->shift;
	*address = cursor->previous_address;
	return 1;
}

/**
 * Decodes \p fits references in runs to the end of the arrays of the batch. \p count is the number of references up to
 * the end of the record, which limits the length of a run.
 */
heap_decode_result heap_cursor_runs(heap_cursor *cursor, uint64_t count, heap_decode_batch *batch, size_t fits);

/**
 * Decodes as many of \p count references as fit in the batch, which must have room for at least one.
 * heap_cursor::references_left receives the number of the others.
 */
static inline heap_decode_result heap_cursor_first_references(heap_cursor *cursor, uint64_t count,
							      heap_decode_batch *batch, mprof_event_detail *detail)
{
	size_t room = batch->reference_capacity - batch->reference_count;
	uint64_t *references = batch->references + batch->reference_count;
	size_t fits = count < room ? (size_t)count : room;

	if (cursor->has_runs) {
		heap_decode_result result = heap_cursor_runs(cursor, count, batch, fits);

		if (result != HEAP_DECODE_DONE)
			return result;
		detail->offsets = batch->offsets + batch->reference_count;
	} else {
		for (size_t i = 0; i < fits; i++) {
			if (!heap_cursor_address(cursor, &references[i]))
				return heap_cursor_fault(cursor);
		}
	}
	detail->references = references;
	detail->reference_count = (uint32_t)fits;
	cursor->references_left = count - fits;
	return HEAP_DECODE_DONE;
}

/**
 * Decodes \p count references. Returns #HEAP_DECODE_BAD_COUNT if \p count exceeds the bytes that are left, and
 * #HEAP_DECODE_FULL if the batch is not empty and has too little room. With an empty batch that is too small, the first
 * references are decoded as by heap_cursor_first_references().
 */
static inline heap_decode_result heap_cursor_references(heap_cursor *cursor, uint64_t count, heap_decode_batch *batch,
							mprof_event_detail *detail)
{
	size_t room = batch->reference_capacity - batch->reference_count;

	cursor->run_left = 0;
	cursor->next_offset = 0;
	if (count > (uint64_t)(cursor->limit - cursor->next))
		return HEAP_DECODE_BAD_COUNT;
	/* Only an object that does not fit in an empty batch is returned in pieces. */
	if (count > room && batch->reference_count > 0)
		return HEAP_DECODE_FULL;
	return heap_cursor_first_references(cursor, count, batch, detail);
}

#endif
