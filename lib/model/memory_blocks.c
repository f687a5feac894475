/* SPDX-License-Identifier: MIT */
#include "model/memory_blocks.h"

#include "base/checked.h"
#include "base/hash.h"

#include <string.h>

#define FIRST_CAPACITY 64
#define FIRST_SHIFT 58

void memory_blocks_init(memory_blocks *blocks, const mprof_allocator *allocator)
{
	memset(blocks, 0, sizeof(*blocks));
	blocks->allocator = *allocator;
	blocks->seed = hash_seed();
}

void memory_blocks_destroy(memory_blocks *blocks)
{
	allocator_release(&blocks->allocator, blocks->places, blocks->capacity * sizeof(*blocks->places));
	memory_blocks_init(blocks, &blocks->allocator);
}

static size_t first_place(const memory_blocks *blocks, uint64_t address)
{
	return hash_place(blocks->seed, address, blocks->shift);
}

memory_block *memory_blocks_find(const memory_blocks *blocks, uint64_t address)
{
	if (blocks->capacity == 0)
		return NULL;
	for (size_t i = first_place(blocks, address);; i = (i + 1) & (blocks->capacity - 1)) {
		memory_block *block = &blocks->places[i];

		if (block->site == MEMORY_NO_SITE)
			return NULL;
		if (block->address == address)
			return block;
	}
}

static void put(memory_blocks *blocks, const memory_block *block)
{
	size_t i = first_place(blocks, block->address);

	while (blocks->places[i].site != MEMORY_NO_SITE)
		i = (i + 1) & (blocks->capacity - 1);
	blocks->places[i] = *block;
}

static int grow(memory_blocks *blocks)
{
	memory_block *old = blocks->places;
	size_t old_capacity = blocks->capacity;
	size_t capacity = old_capacity == 0 ? FIRST_CAPACITY : old_capacity * 2;
	memory_block *places;
	size_t size;

	if (!checked_multiply(capacity, sizeof(*places), &size))
		return 0;
	places = allocator_allocate(&blocks->allocator, size);
	if (places == NULL)
		return 0;
	/* No site has this number. */
	memset(places, 0xff, size);
	blocks->places = places;
	blocks->capacity = capacity;
	blocks->shift = old_capacity == 0 ? FIRST_SHIFT : blocks->shift - 1;
	for (size_t i = 0; i < old_capacity; i++) {
		if (old[i].site != MEMORY_NO_SITE)
			put(blocks, &old[i]);
	}
	allocator_release(&blocks->allocator, old, old_capacity * sizeof(*old));
	return 1;
}

int memory_blocks_add(memory_blocks *blocks, const memory_block *block)
{
	if (blocks->count >= blocks->capacity / 2 && !grow(blocks))
		return 0;
	put(blocks, block);
	blocks->count++;
	return 1;
}

/* Moves up the blocks that a search would no longer reach, so that no tombstone is needed. */
void memory_blocks_remove(memory_blocks *blocks, memory_block *block)
{
	const size_t mask = blocks->capacity - 1;
	size_t hole = (size_t)(block - blocks->places);

	for (size_t i = (hole + 1) & mask; blocks->places[i].site != MEMORY_NO_SITE; i = (i + 1) & mask) {
		size_t wanted = first_place(blocks, blocks->places[i].address);

		/* It stays if its search starts after the hole. */
		if (((i - wanted) & mask) < ((i - hole) & mask))
			continue;
		blocks->places[hole] = blocks->places[i];
		hole = i;
	}
	blocks->places[hole].site = MEMORY_NO_SITE;
	blocks->count--;
}
