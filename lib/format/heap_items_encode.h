/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_items_encode.h
 * \brief Encodes HEAP_DATA blocks of drop, mono and unity, in which a heap snapshot is one block.
 */
#ifndef FORMAT_HEAP_ITEMS_ENCODE_H
#define FORMAT_HEAP_ITEMS_ENCODE_H

#include "format/block_encode.h"

/** The maximum encoded length of a live object without its references, in bytes. A dead object is shorter. */
#define HEAP_ITEM_ROOM (MPROF_VARINT_MAX_LENGTH + 3 * 5)

/** Whether the tag bits of an address are 0. */
int heap_item_address_fits(uint64_t address);

/** Encodes a live object; its references must follow. The tag bits of the address are cleared. */
void heap_item_encode_object(encode_buffer *buffer, uint64_t address, uint32_t class_id, uint32_t size,
			     uint32_t reference_count);

/** Encodes \p count references, of the preceding object or of one that is encoded in another buffer. */
void heap_item_encode_references(encode_buffer *buffer, const uint64_t *references, uint32_t count);

/** Encodes a dead object. */
void heap_item_encode_dead(encode_buffer *buffer, uint32_t class_id, uint32_t size);

/** The fields that precede the items of a block. */
typedef struct heap_items_header {
	mprof_clock snapshot_start; /**< When the heap snapshot was started. */
	mprof_clock snapshot_end;   /**< When the heap snapshot ended. */
	mprof_clock start;          /**< When the block was started. */
	uint32_t number;            /**< Number of the collection; not written in dialects without it. */
} heap_items_header;

/** Encodes a block with its items, without their end. */
void heap_items_encode(encode_buffer *buffer, const block_encoding *encoding, const heap_items_header *header,
		       const encode_buffer *items);

/** Encodes the end of the items and the CLOCK at the end of the block. */
void heap_items_encode_end(encode_buffer *buffer, const mprof_clock *end);

#endif
