/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory.h
 * \brief Native memory: what exists, its peak, where it was allocated, and its lifetime.
 *
 * All events are tracked, whatever the window of the profile is, so that each free is matched with its allocation. An
 * allocation counts if it is inside the window and of a chosen thread; its free counts up to the end of the window,
 * whichever thread does it.
 *
 * All memory of the model comes from the optional part of the budget. When that is used up, call stacks share one site,
 * blocks are counted and not tracked, and fewer events are held back.
 */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "base/memory_budget.h"
#include "model/memory_state.h"
#include "model/memory_undo.h"
#include "model/window.h"

#include <mprof/format.h>

/**
 * The number shared by threads that are not chosen and have no number of their own, because there was no memory. The
 * next higher number is shared by those that are chosen.
 */
#define MEMORY_OTHER_THREADS (UINT32_MAX - 2)

typedef struct memory_model {
	memory_budget *budget;
	const profile_window *window;
	int has_other_threads; /**< Some threads have no number of their own. */
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

/** The sums of a site at the peak. */
void memory_site_get_peak(const memory_model *model, const memory_site *site, uint64_t *live, uint64_t *bytes);

#endif
