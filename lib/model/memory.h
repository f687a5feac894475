/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory.h
 * \brief Native memory: what exists, when it was most, where it was allocated, how long it lived.
 *
 * All events are followed, whatever the window of the profile, so that each free finds what it frees. An allocation
 * counts if it is inside of the window and of a thread that is wanted; what becomes of it counts up to the end of the
 * window, whichever thread does it.
 *
 * All of it is allocated from the part of the budget that can be done without. Where that is used up, call stacks share
 * one site, blocks are counted and not followed, and less is held back.
 */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "base/hash_map.h"
#include "model/memory_blocks.h"
#include "base/memory_budget.h"
#include "model/memory_figures.h"
#include "model/memory_order.h"
#include "model/memory_undo.h"
#include "model/window.h"

#include <mprof/format.h>

/** Numbers of the threads for whose own there was no room: of those that are not wanted, and of those that are. */
#define MEMORY_OTHER_THREADS (UINT32_MAX - 2)

typedef struct memory_model {
	memory_budget *budget;
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
	int has_other_threads; /**< There was no room for some. */
	memory_sums sums;
	memory_undo undo;
} memory_model;

/** \p budget and \p window have to outlive the model. */
void memory_init(memory_model *model, memory_budget *budget, const profile_window *window);
void memory_destroy(memory_model *model);

/** Takes in an event of native memory. Returns 0 if memory was refused; the limit is no reason for that. */
int memory_add(memory_model *model, uint64_t thread, const mprof_event *event);

/** Handles what was held back and is older than a watermark. As above. */
int memory_pass(memory_model *model, uint64_t watermark);

/** Handles all that is held back, for the time being: the next event or watermark undoes that first. As above. */
int memory_settle(memory_model *model);

/** Sites with that of what was folded, which comes last. */
size_t memory_site_count(const memory_model *model);

/** What a site had at the peak. */
void memory_site_get_peak(const memory_model *model, const memory_site *site, uint64_t *live, uint64_t *bytes);

#endif
