/* SPDX-License-Identifier: MIT */
/**
 * \file reader/block_index.h
 * \brief The offset, thread and counter range of each block of a log, and the call stack that was open at its start.
 */
#ifndef READER_BLOCK_INDEX_H
#define READER_BLOCK_INDEX_H

#include <mprof/reader.h>

#include "base/allocator.h"
#include "base/thread_map.h"

/** A block of the index. */
typedef struct index_block {
	uint64_t offset;
	uint64_t length;
	uint64_t thread;
	uint64_t start_counter;
	uint64_t end_counter;
	uint32_t kind;
	uint32_t frames;     /**< EVENTS: node in open_frames of the call stack at the start of the block; 0 if not
	                          known. */
	uint64_t stack;      /**< EVENTS: number of the stack that the thread is on at the start of the block. */
	uint64_t gap;        /**< EVENTS: open_frames::gap at the start of the block. */
	uint64_t switch_end; /**< End of the block's range in open_frames::switches, which starts at switch_end of the
	                          previous block. */
} index_block;

/** An entry of an index_list: a block that has events of a thread. */
typedef struct index_list_entry {
	size_t number;  /**< Index of the block in block_index::blocks. */
	int64_t latest; /**< Latest end counter of the entries up to this one, relative to block_index::origin. */
} index_list_entry;

/** The blocks with events of one thread, or of all threads, in the order of the log. */
typedef struct index_list {
	index_list_entry *entries;
	size_t count;
	size_t capacity;
} index_list;

typedef struct block_index {
	mprof_allocator allocator;
	index_block *blocks;
	size_t count;
	size_t capacity;
	uint64_t end;    /**< Offset of the first byte that the index does not cover. */
	uint64_t origin; /**< Counter at the start of the session. Counters are compared by their difference to it,
	                      modulo 2^64. */
	index_list all;
	index_list *threads;
	size_t thread_count;
	size_t thread_capacity;
	thread_map by_thread; /**< Maps thread IDs to indices in threads. */
} block_index;

void block_index_init(block_index *index, const mprof_allocator *allocator);
void block_index_destroy(block_index *index);

/** Removes all blocks. */
void block_index_clear(block_index *index);

/** Returns the index entry for a block. At least the header of the block must have been read. */
index_block block_index_describe(const mprof_block *block);

/** Adds a block. Returns 0 and changes nothing if out of memory. */
int block_index_add(block_index *index, const index_block *block);

/** Returns the index of the block at an offset, or SIZE_MAX if no block starts there. */
size_t block_index_find(const block_index *index, uint64_t offset);

/** Returns the node in open_frames of the call stack at the start of the EVENTS block at an offset; 0 if not known. */
uint32_t block_index_frames(const block_index *index, uint64_t offset);

/**
 * Returns the blocks that have events of a thread, or of any thread for #MPROF_THREAD_ANY; NULL if the thread has none.
 * Valid until a block is added.
 */
const index_list *block_index_thread(const block_index *index, uint64_t thread);

/** Returns the index of the first block of a list that may have events at \p counter or later, or SIZE_MAX. */
size_t block_index_from(const block_index *index, const index_list *list, uint64_t counter);

/** Whether a block begins after a counter. That may be long before its first event. */
int block_index_starts_after(const block_index *index, const index_block *block, uint64_t counter);

/** Whether a block has an event after a counter. */
int block_index_ends_after(const block_index *index, const index_block *block, uint64_t counter);

#endif
