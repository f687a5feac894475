/* SPDX-License-Identifier: MIT */
/**
 * \file stream/block_index.h
 * \brief Where the blocks of a log are.
 */
#ifndef STREAM_BLOCK_INDEX_H
#define STREAM_BLOCK_INDEX_H

#include <mprof/reader.h>

#include "base/allocator.h"

typedef struct block_index {
	mprof_allocator allocator;
	mprof_index_entry *entries;
	size_t count;
	size_t capacity;
} block_index;

void block_index_init(block_index *index, const mprof_allocator *allocator);
void block_index_destroy(block_index *index);

/** Empties it. */
void block_index_clear(block_index *index);

/** Adds a block, of which at least the header was read. Returns 0 if there is no memory. */
int block_index_add(block_index *index, const mprof_block *block);

#endif
