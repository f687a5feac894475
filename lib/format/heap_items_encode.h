/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_items_encode.h
 * \brief HEAP blocks in which a shot is one block, as bytes: the reverse of heap_items.h.
 */
#ifndef FORMAT_HEAP_ITEMS_ENCODE_H
#define FORMAT_HEAP_ITEMS_ENCODE_H

#include "format/block_encode.h"

/** The most bytes that a live object takes without its references; a dead one takes fewer. */
#define HEAP_ITEM_ROOM (MPROF_VARINT_MAX_LENGTH + 3 * 5)

/** Whether an address leaves the bits of the tag free. */
int heap_item_address_fits(uint64_t address);

/** A live object, whose references follow. The bits of the tag are dropped from its address. */
void heap_item_encode_object(encode_buffer *buffer, uint64_t address, uint32_t class_id, uint32_t size,
			     uint32_t reference_count);

/** So many references of the object before, or of one that is encoded to another buffer. */
void heap_item_encode_references(encode_buffer *buffer, const uint64_t *references, uint32_t count);

/** A dead object. */
void heap_item_encode_dead(encode_buffer *buffer, uint32_t class_id, uint32_t size);

/** When a shot was taken, and which one it is. */
typedef struct heap_items_head {
	mprof_clock shot_start;
	mprof_clock shot_end;
	mprof_clock start; /**< When the block was begun. */
	uint32_t number;   /**< Of the collection; left out in dialects that have none. */
} heap_items_head;

/** A block up to the end of its items. */
void heap_items_encode(encode_buffer *buffer, const block_encoding *encoding, const heap_items_head *head,
		       const encode_buffer *items);

/** The end of the items, and of the block. */
void heap_items_encode_end(encode_buffer *buffer, const mprof_clock *end);

#endif
