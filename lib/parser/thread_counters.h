/* SPDX-License-Identifier: MIT */
/**
 * \file parser/thread_counters.h
 * \brief Finds the counter that the first delta of an EVENTS block is added to. In some logs it is not the base
 * counter.
 *
 * Mono renewed the base counter of a thread only when its buffer was full. Blocks written before that repeat the base
 * counter of the thread's previous block, while their first delta refers to the last event of that block.
 */
#ifndef PARSER_THREAD_COUNTERS_H
#define PARSER_THREAD_COUNTERS_H

#include "base/thread_map.h"

/** The last counter of a thread. */
typedef struct thread_counter {
	uint64_t base;    /**< Base counter of its last block. */
	uint64_t reached; /**< Counter of the last event with that base. */
} thread_counter;

/** A block whose events do not start from its base counter. */
typedef struct block_start {
	uint64_t offset;
	uint64_t counter; /**< Counter that the first delta is added to. */
} block_start;

typedef struct thread_counters {
	mprof_allocator allocator;
	thread_map positions; /**< Maps thread IDs to indices in threads. */
	thread_counter *threads;
	size_t thread_count;
	size_t thread_capacity;
	size_t current;  /**< Index of the thread of the block that was begun last. */
	int is_complete; /**< All EVENTS blocks from the start of the log up to here were begun, so the counters of the
	                      threads are right. */
	int has_first;   /**< The first EVENTS block was found while is_complete was set. */
	uint64_t first_offset; /**< Offset of the first EVENTS block, or an offset not after it. */
	block_start *starts;   /**< Sorted by offset. Only starts that were found while is_complete was set. */
	size_t start_count;
	size_t start_capacity;
} thread_counters;

void thread_counters_init(thread_counters *counters, const mprof_allocator *allocator);
void thread_counters_destroy(thread_counters *counters);

/**
 * Begins a block of a thread. \p start receives the counter that its first delta is added to. Returns 0 if out of
 * memory; the block is then not begun.
 */
int thread_counters_begin(thread_counters *counters, uint64_t offset, uint64_t thread, uint64_t base, uint64_t *start);

/** Ends the block that was begun last. \p reached is the counter of its last event. */
void thread_counters_end(thread_counters *counters, uint64_t reached);

/** Records that the EVENTS block at this offset is skipped, so that counters of threads may be wrong after it. */
void thread_counters_miss(thread_counters *counters, uint64_t offset);

/**
 * Records that reading, which has reached the offset \p from, continues at the offset \p to. The counters of threads do
 * not apply there and are discarded; the starts of blocks still apply and are kept.
 */
void thread_counters_jump(thread_counters *counters, uint64_t from, uint64_t to);

#endif
