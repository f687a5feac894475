/* SPDX-License-Identifier: MIT */
/**
 * \file reader/learned_blocks.h
 * \brief The offsets of blocks whose definitions are all in the tables, so that they need not be decoded again.
 */
#ifndef READER_LEARNED_BLOCKS_H
#define READER_LEARNED_BLOCKS_H

#include <mprof/reader.h>

#include "base/memory_budget.h"

typedef struct learned_blocks {
	uint64_t *offsets; /**< Ascending. */
	size_t count;
	size_t capacity;
} learned_blocks;

/** Frees the memory, which is of \p budget. */
void learned_blocks_destroy(learned_blocks *blocks, const memory_budget *budget);

/** Whether the block at an offset was added. */
int learned_blocks_has(const learned_blocks *blocks, uint64_t offset);

/**
 * Adds the block at an offset. Returns #MPROF_OK, also if the block was added before; #MPROF_ERR_LIMIT;
 * #MPROF_ERR_MEMORY.
 */
mprof_status learned_blocks_add(learned_blocks *blocks, memory_budget *budget, uint64_t offset);

#endif
