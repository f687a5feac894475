/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/memory.h
 * \brief Native memory: what exists, its peak, where it was allocated, and its lifetime.
 *
 * All events are tracked, whatever the window of the profile is, so that each free is matched with its allocation. An
 * allocation counts if it is inside the window and of a chosen thread; its free counts up to the end of the window,
 * whichever thread does it.
 *
 * All memory of the model comes from the optional part of the budget. When that is used up, call stacks share one site,
 * blocks are counted and not tracked, and fewer events are held back.
 */
#ifndef MODEL_RECORDS_MEMORY_H
#define MODEL_RECORDS_MEMORY_H

#include <mprof/profile.h>

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/replay.h"
#include "model/records/window.h"

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
	mprof_memory_stats totals; /**< What was counted, by the columns of the table; those that are computed are 0. */
	uint64_t peak;             /**< Number of times the peak was raised. */
	uint64_t peak_counter;
} memory_sums;

typedef struct memory_state {
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

/* What undoes a provisional replay. */

typedef struct noted_site {
	uint32_t number;
	memory_site before;
} noted_site;

typedef struct noted_thread {
	uint32_t number;
	memory_thread before;
} noted_thread;

/** A block that was added or removed. */
typedef struct noted_block {
	memory_block block;
	int was_added;
} noted_block;

/** An action that was processed before its turn. */
typedef struct noted_action {
	size_t index;
	uint32_t kind;
} noted_action;

typedef struct memory_undo {
	mprof_allocator allocator;
	uint64_t pass; /**< Number of the latest provisional pass, from 1. */
	memory_sums sums;
	size_t site_count;
	noted_site *sites;
	size_t noted_sites;
	size_t sites_capacity;
	noted_thread *threads;
	size_t noted_threads;
	size_t threads_capacity;
	noted_block *blocks;
	size_t noted_blocks;
	size_t blocks_capacity;
	noted_action *actions;
	size_t noted_actions;
	size_t actions_capacity;
} memory_undo;

typedef struct memory_model {
	memory_budget *budget;
	const profile_window *window;
	int has_other_threads; /**< Some threads have no number of their own. */
	replay replay;
	memory_state state;
	memory_undo undo;
} memory_model;

/** \p budget and \p window must outlive the model. */
void memory_init(memory_model *model, memory_budget *budget, const profile_window *window);
void memory_destroy(memory_model *model);

/**
 * Adds an event of native memory. Returns 0 if the allocator refused; reaching the limit of the budget is not a
 * failure.
 */
int memory_add(memory_model *model, uint64_t thread, const mprof_event *event);

/**
 * Processes the actions held back that are older than a watermark. Returns 0 if the allocator refused; reaching the
 * limit of the budget is not a failure.
 */
int memory_process_until(memory_model *model, uint64_t watermark);

/** Steps of memory_process_provisionally(). */
uint64_t memory_steps(const memory_model *model);

/**
 * Processes all actions held back provisionally: the next event or watermark undoes that first. Returns 0, having
 * undone it, if the allocator refused or it was stopped; reaching the limit of the budget is not a failure.
 */
int memory_process_provisionally(memory_model *model, progress *going);

/** The number of sites, including that of folded call stacks, which is the last one. */
size_t memory_site_count(const memory_model *model);

/** The tracked block at an address, or NULL. Valid until an event or a watermark is added. */
const memory_block *memory_find_block(const memory_model *model, uint64_t address);

/**
 * Finds the next tracked block, from position 0 on, in no particular order: no result may depend on it. Returns 0 if
 * there is none.
 */
int memory_next_block(const memory_model *model, size_t *position, const memory_block **block);

/** At least the number of steps of memory_next_block() through all blocks. */
size_t memory_block_capacity(const memory_model *model);

/** Whether an allocation counts. The functions below are for such blocks. */
int memory_block_is_counted(const memory_block *block);

/** The number of the site of a block; the number of sites (memory_state) for that of folded call stacks. */
size_t memory_block_site(const memory_model *model, const memory_block *block);

/** The stack ID of a block, 0 if it is not known. */
uint32_t memory_block_stack(const memory_model *model, const memory_block *block);

/** The sums of a site at the peak. */
void memory_site_get_peak(const memory_model *model, const memory_site *site, uint64_t *live, uint64_t *bytes);

#endif
