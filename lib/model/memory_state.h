/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory_state.h
 * \brief The state of the analysis of native memory: statistics by call stack, by size and in total, the blocks that
 * exist, and the actions that are held back. memory.c changes it; memory_undo.c restores an earlier one.
 */
#ifndef MODEL_MEMORY_STATE_H
#define MODEL_MEMORY_STATE_H

#include "base/hash_map.h"
#include "model/memory_blocks.h"
#include "model/memory_order.h"

/** Size classes: 0, 1, 2 to 3, 4 to 7, and so on. */
#define MEMORY_SIZE_CLASSES 65

typedef struct memory_size_class {
	uint64_t allocations;
	uint64_t bytes;
} memory_size_class;

/** The memory that was allocated by one call stack. */
typedef struct memory_site {
	uint32_t stack;
	uint64_t allocations;
	uint64_t bytes;
	uint64_t frees;
	uint64_t live;
	uint64_t live_bytes;
	uint64_t temporaries;
	uint64_t lifetimes; /**< Sum over the blocks freed, in counters; saturated. */
	uint64_t shortest;
	uint64_t longest;
	/**
	 * Number of the peak (memory_sums::peak) at which live and live_bytes had the values below. If there was a
	 * later peak, the site has not changed since: live and live_bytes are then its values at that peak.
	 */
	uint64_t peak;
	uint64_t peak_live;
	uint64_t peak_bytes;
	uint64_t noted; /**< Number of the latest provisional pass in which memory_undo noted the previous value. */
} memory_site;

typedef struct memory_thread {
	uint64_t last_address; /**< Address of its last allocation. */
	int has_last;          /**< The thread has not freed that allocation yet. */
	int is_counted;        /**< The thread is chosen: its allocations count inside the window. */
	int is_resizing;       /**< moving is the block that it resizes. */
	int moving_is_temporary;
	memory_block moving;
	uint64_t noted; /**< Number of the latest provisional pass in which memory_undo noted the previous value. */
} memory_thread;

/** All totals, so that they can be restored as a whole. */
typedef struct memory_sums {
	memory_size_class sizes[MEMORY_SIZE_CLASSES];
	memory_site folded; /**< The site shared by all call stacks for whose sites there was no memory. */
	uint64_t reached;   /**< Counter of the latest action that was processed. */
	int has_reached;
	uint64_t allocations;
	uint64_t bytes;
	uint64_t frees;
	uint64_t resizes;
	uint64_t live;
	uint64_t live_bytes;
	uint64_t temporaries;
	uint64_t unmatched_frees;
	uint64_t missing_frees;
	uint64_t late_events;
	uint64_t untracked; /**< Blocks for which there was no memory. */
	uint64_t peak;      /**< Number of times the peak was raised. */
	uint64_t peak_live;
	uint64_t peak_bytes;
	uint64_t peak_counter;
} memory_sums;

typedef struct memory_state {
	memory_order order;
	memory_blocks blocks;
	hash_map site_numbers; /**< Numbers of sites, by call stack. */
	memory_site *sites;
	size_t site_count;
	size_t site_capacity;
	hash_map thread_numbers; /**< Numbers of threads, by the thread ID in the log. */
	memory_thread *threads;
	size_t thread_count;
	size_t thread_capacity;
	memory_sums sums;
} memory_state;

#endif
