/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory_figures.h
 * \brief What is counted of native memory: by call stack, by size, and in all.
 */
#ifndef MODEL_MEMORY_FIGURES_H
#define MODEL_MEMORY_FIGURES_H

#include "model/memory_blocks.h"

/** Sizes by powers of two: 0, 1, 2 to 3, 4 to 7, and so on. */
#define MEMORY_SIZE_CLASSES 65

typedef struct memory_size_class {
	uint64_t allocations;
	uint64_t bytes;
} memory_size_class;

/** What was allocated with one call stack. */
typedef struct memory_site {
	uint32_t stack;
	uint64_t allocations;
	uint64_t bytes;
	uint64_t frees;
	uint64_t live;
	uint64_t live_bytes;
	uint64_t temporaries;
	uint64_t lifetimes; /**< Sum over those freed, in counters; saturated. */
	uint64_t shortest;
	uint64_t longest;
	/** live and live_bytes at the peak of this number; if a later one was reached, they are still what they were. */
	uint64_t peak;
	uint64_t peak_live;
	uint64_t peak_bytes;
	uint64_t noted; /**< Number of the latest pass in which memory_undo noted what it was before. */
} memory_site;

typedef struct memory_thread {
	uint64_t last_address; /**< Of its last allocation. */
	int has_last;          /**< That was not freed yet by this thread. */
	int is_wanted;         /**< Its allocations count. */
	int is_resizing;       /**< moving is what it resizes. */
	int moving_is_temporary;
	memory_block moving;
	uint64_t noted; /**< As that of a site. */
} memory_thread;

/** Everything that is counted in all, so that it can be put back as a whole. */
typedef struct memory_sums {
	memory_size_class sizes[MEMORY_SIZE_CLASSES];
	memory_site folded; /**< Of all call stacks for whose sites there was no room. */
	uint64_t reached;   /**< Counter of the latest action that was handled. */
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
	uint64_t untracked; /**< Blocks for which there was no room. */
	uint64_t peak;      /**< How often the peak was raised. */
	uint64_t peak_live;
	uint64_t peak_bytes;
	uint64_t peak_counter;
} memory_sums;

#endif
