/* SPDX-License-Identifier: MIT */
/* Finds, adds and removes the blocks of native memory that exist. */
#include "model/memory_blocks.h"

static inline int is_block(const void *slot)
{
	return ((const memory_block *)slot)->site != MEMORY_NO_SITE;
}

static uint64_t hash_of_block(const void *owner, const void *slot)
{
	return hash_key(((const memory_blocks *)owner)->index.seed, ((const memory_block *)slot)->address);
}

static inline int is_block_at(const void *owner, const void *slot, const void *address)
{
	(void)owner;
	/* An empty slot has an address, too, and any address may be searched. */
	return ((const memory_block *)slot)->address == *(const uint64_t *)address && is_block(slot);
}

/* All bytes of an empty slot are set, which makes its site MEMORY_NO_SITE. */
static const hash_index_type block_slots = {
	.size = sizeof(memory_block),
	.first_capacity = 64,
	.used_eighths = 4,
	.empty_byte = 0xff,
	.is_used = is_block,
	.hash = hash_of_block,
};

void memory_blocks_init(memory_blocks *blocks, const mprof_allocator *allocator)
{
	hash_index_init(&blocks->index, allocator);
}

void memory_blocks_destroy(memory_blocks *blocks)
{
	hash_index_destroy(&blocks->index, &block_slots);
}

memory_block *memory_blocks_find(const memory_blocks *blocks, uint64_t address)
{
	return hash_index_find(&blocks->index, &block_slots, hash_key(blocks->index.seed, address), is_block_at, blocks,
			       &address);
}

int memory_blocks_add(memory_blocks *blocks, const memory_block *block)
{
	memory_block *slot;

	if (!hash_index_reserve(&blocks->index, &block_slots, blocks))
		return 0;
	slot = hash_index_take_slot(&blocks->index, &block_slots, hash_key(blocks->index.seed, block->address));
	*slot = *block;
	return 1;
}

void memory_blocks_remove(memory_blocks *blocks, memory_block *block)
{
	hash_index_remove(&blocks->index, &block_slots, blocks, block);
}
