/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory_blocks.h
 * \brief The blocks of native memory that exist, by address.
 */
#ifndef MODEL_MEMORY_BLOCKS_H
#define MODEL_MEMORY_BLOCKS_H

#include "base/hash_index.h"

/** Marks an empty slot of the table. */
#define MEMORY_NO_SITE UINT32_MAX

/** The site of a block that is tracked, so that its free is matched, but not counted. */
#define MEMORY_UNCOUNTED (UINT32_MAX - 1)

/** The site that all call stacks share for which there was no memory. */
#define MEMORY_FOLDED (UINT32_MAX - 2)

typedef struct memory_block {
	uint64_t address;
	uint64_t size;
	uint64_t counter; /**< Counter when it was allocated. */
	uint32_t site;    /**< Number of its site. */
	uint32_t thread;  /**< Number of the thread that allocated it. */
} memory_block;

typedef struct memory_blocks {
	hash_index index; /**< The blocks, by address. */
} memory_blocks;

void memory_blocks_init(memory_blocks *blocks, const mprof_allocator *allocator);
void memory_blocks_destroy(memory_blocks *blocks);

/** The block at an address, or NULL. Valid until a block is added or removed. */
memory_block *memory_blocks_find(const memory_blocks *blocks, uint64_t address);

/** Adds a block at an address that has none. Returns 0 if there is no memory. */
int memory_blocks_add(memory_blocks *blocks, const memory_block *block);

/** Removes a block that memory_blocks_find() returned. */
void memory_blocks_remove(memory_blocks *blocks, memory_block *block);

#endif
