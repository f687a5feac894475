/* SPDX-License-Identifier: MIT */
/**
 * \file parser/thread_counters.h
 * \brief From which counter the first event of an EVENTS block starts, where the block's base counter does not tell.
 *
 * Mono renewed the base counter of a thread only when its buffer was full. Blocks written before that repeat the base
 * counter of the thread's block before, while their first event goes on from the last one of that block.
 */
#ifndef PARSER_THREAD_COUNTERS_H
#define PARSER_THREAD_COUNTERS_H

#include "base/hash_map.h"

/** How far a thread has come. */
typedef struct thread_counter {
	uint64_t base;    /**< Of its last block. */
	uint64_t reached; /**< Counter of the last event with that base. */
} thread_counter;

/** A block whose events do not start from its base counter. */
typedef struct block_start {
	uint64_t offset;
	uint64_t counter; /**< From which they start. */
} block_start;

typedef struct thread_counters {
	mprof_allocator allocator;
	hash_map places; /**< Of threads in the array below. */
	thread_counter *threads;
	size_t thread_count;
	size_t thread_capacity;
	size_t current;  /**< The thread of the block that was begun last. */
	int is_complete; /**< All blocks of the log so far were begun, so that what is known of threads is right. */
	int has_first;   /**< The first one was met while that was so. */
	uint64_t first_offset; /**< Of the first one, or of a place that is not behind it. */
	block_start *starts;   /**< In order of their offsets; none that is not sure. */
	size_t start_count;
	size_t start_capacity;
} thread_counters;

void thread_counters_init(thread_counters *counters, const mprof_allocator *allocator);
void thread_counters_destroy(thread_counters *counters);

/**
 * Begins a block of a thread. \p start receives the counter from which its events start. Returns 0, changing nothing,
 * if there is no memory.
 */
int thread_counters_begin(thread_counters *counters, uint64_t offset, uint64_t thread, uint64_t base, uint64_t *start);

/** Ends the block that was begun last. \p reached is the counter of its last event. */
void thread_counters_end(thread_counters *counters, uint64_t reached);

/** The block of some thread at an offset is not begun. */
void thread_counters_miss(thread_counters *counters, uint64_t offset);

/**
 * The next block is the first one from the offset \p to on; blocks up to \p from were met. What is known of threads
 * does not hold for it, but what is known of blocks does.
 */
void thread_counters_jump(thread_counters *counters, uint64_t from, uint64_t to);

#endif
