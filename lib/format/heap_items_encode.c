/* SPDX-License-Identifier: MIT */
/* Encodes the items of HEAP_DATA blocks of drop, mono and unity. */
#include "format/heap_items_encode.h"

#include "format/heap_item_layout.h"

int heap_item_address_fits(uint64_t address)
{
	return (address & HEAP_ITEM_TAG_MASK) == 0;
}

void heap_item_encode_object(encode_buffer *buffer, uint64_t address, uint32_t class_id, uint32_t size,
			     uint32_t reference_count)
{
	encode_varint(buffer, (address & ~HEAP_ITEM_TAG_MASK) | HEAP_ITEM_TAG_OBJECT);
	encode_varint(buffer, class_id);
	encode_varint(buffer, size);
	encode_varint(buffer, reference_count);
}

void heap_item_encode_references(encode_buffer *buffer, const uint64_t *references, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		encode_varint(buffer, references[i]);
}

void heap_item_encode_dead(encode_buffer *buffer, uint32_t class_id, uint32_t size)
{
	encode_varint(buffer, (uint64_t)class_id << HEAP_ITEM_TAG_BITS | HEAP_ITEM_TAG_DEAD);
	encode_varint(buffer, size);
}

void heap_items_encode(encode_buffer *buffer, const block_encoding *encoding, const heap_items_header *header,
		       const encode_buffer *items)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_HEAP_DATA);
	encode_clock(buffer, &header->snapshot_start);
	encode_clock(buffer, &header->snapshot_end);
	if (encoding->rules->counts_collections)
		encode_varint(buffer, header->number);
	encode_clock(buffer, &header->start);
	encode_bytes(buffer, items->bytes, items->length);
}

void heap_items_encode_end(encode_buffer *buffer, const mprof_clock *end)
{
	encode_varint(buffer, 0);
	encode_clock(buffer, end);
}
