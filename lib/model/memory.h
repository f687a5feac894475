/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory.h
 * \brief Native memory: what exists, when it was most, where it was allocated, how long it lived.
 *
 * All events are followed, whatever the window of the profile, so that each free finds what it frees. An allocation
 * counts if it is inside of the window and of a thread that is wanted; what becomes of it counts up to the end of the
 * window, whichever thread does it.
 */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "base/hash_map.h"
#include "model/memory_blocks.h"
#include "model/memory_order.h"
#include "model/window.h"

#include <mprof/format.h>

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
	/** live and live_bytes at the peak of this number; if a later one was reached, they are still what they were then. */
	uint64_t peak;
	uint64_t peak_live;
	uint64_t peak_bytes;
} memory_site;

typedef struct memory_thread {
	uint64_t last_address; /**< Of its last allocation. */
	int has_last;          /**< That was not freed yet by this thread. */
	int is_wanted;         /**< Its allocations count. */
	int is_resizing;       /**< moving is what it resizes. */
	int moving_is_temporary;
	memory_block moving;
} memory_thread;

typedef struct memory_model {
	mprof_allocator allocator;
	const profile_window *window;
	memory_order order;
	memory_blocks blocks;
	hash_map site_numbers; /**< By call stack. */
	memory_site *sites;
	size_t site_count;
	size_t site_capacity;
	hash_map thread_numbers; /**< By the log's thread. */
	memory_thread *threads;
	size_t thread_count;
	size_t thread_capacity;
	memory_size_class sizes[MEMORY_SIZE_CLASSES];
	uint64_t reached; /**< Counter of the latest action that was handled. */
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
	uint64_t peak; /**< How often the peak was raised. */
	uint64_t peak_live;
	uint64_t peak_bytes;
	uint64_t peak_counter;
} memory_model;

/** \p window has to outlive the model. */
void memory_init(memory_model *model, const mprof_allocator *allocator, const profile_window *window);
void memory_destroy(memory_model *model);

/** Takes in an event of native memory. Returns 0 if there is no memory. */
int memory_add(memory_model *model, uint64_t thread, const mprof_event *event);

/** Handles what was held back and is older than a watermark. As above. */
int memory_pass(memory_model *model, uint64_t watermark);

/** Handles all that was held back. As above. */
int memory_settle(memory_model *model);

/** What a site had at the peak. */
void memory_site_get_peak(const memory_model *model, const memory_site *site, uint64_t *live, uint64_t *bytes);

#endif
