/* SPDX-License-Identifier: MIT */
/**
 * \file reader/block_index.h
 * \brief Where the blocks of a log are, of which thread, from when to when, and what was open where they begin.
 */
#ifndef READER_BLOCK_INDEX_H
#define READER_BLOCK_INDEX_H

#include <mprof/reader.h>

#include "base/allocator.h"
#include "base/hash_map.h"

/** One block. */
typedef struct index_block {
	uint64_t offset;
	uint64_t length;
	uint64_t thread;
	uint64_t start_counter;
	uint64_t end_counter;
	uint32_t kind;
	uint32_t frames; /**< EVENTS: node of open_frames where it begins; 0 if it is not known. */
	uint64_t stack;  /**< EVENTS: number of the stack that its thread is on there. */
	uint64_t gap;    /**< EVENTS: gap of open_frames there. */
	uint64_t
		switch_end; /**< Where its part of open_frames' switches ends; it begins where the last block's ends. */
} index_block;

/** A block that has events of a thread. */
typedef struct index_place {
	size_t number;  /**< Of the block. */
	int64_t latest; /**< The latest end of this one and those before, relative to the index's origin. */
} index_place;

/** Blocks with events: of one thread, or of all. In the order of the log. */
typedef struct index_list {
	index_place *places;
	size_t count;
	size_t capacity;
} index_list;

typedef struct block_index {
	mprof_allocator allocator;
	index_block *blocks;
	size_t count;
	size_t capacity;
	uint64_t end;    /**< Offset of the first byte that is not covered. */
	uint64_t origin; /**< The counter that others are compared relative to. */
	index_list all;
	index_list *threads;
	size_t thread_count;
	size_t thread_capacity;
	hash_map by_thread; /**< Places in threads. */
} block_index;

void block_index_init(block_index *index, const mprof_allocator *allocator);
void block_index_destroy(block_index *index);

/** Empties it. */
void block_index_clear(block_index *index);

/** Describes a block, of which at least the header was read. */
index_block block_index_describe(const mprof_block *block);

/** Adds a block. Returns 0, changing nothing, if there is no memory. */
int block_index_add(block_index *index, const index_block *block);

/** The number of the block at an offset, or SIZE_MAX. */
size_t block_index_find(const block_index *index, uint64_t offset);

/** The node of what is open where the EVENTS block at an offset begins; 0 if it is not known. */
uint32_t block_index_frames(const block_index *index, uint64_t offset);

/** The blocks that have events of a thread; of all for #MPROF_THREAD_ANY. NULL if there are none. */
const index_list *block_index_thread(const block_index *index, uint64_t thread);

/** The number of the first block of a list that may have events at \p counter or later, or SIZE_MAX. */
size_t block_index_from(const block_index *index, const index_list *list, uint64_t counter);

/** The number of the last EVENTS block of a list that does not start after \p counter, or SIZE_MAX. */
size_t block_index_until(const block_index *index, const index_list *list, uint64_t counter);

#endif
