/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory_budget.h
 * \brief An allocator that passes requests on up to a limit, and tells a limit reached from a refusal.
 */
#ifndef MODEL_MEMORY_BUDGET_H
#define MODEL_MEMORY_BUDGET_H

#include "base/allocator.h"

typedef struct memory_budget {
	mprof_allocator allocator; /**< What the owner's parts allocate from. */
	mprof_allocator paths;     /**< For paths and places, which can be done without: takes up to three quarters. */
	mprof_allocator source;    /**< Where it comes from. */
	uint64_t limit;
	uint64_t used;
	int exceeded; /**< The latest refusal was for the limit. */
} memory_budget;

/** The budget must not move afterwards: its allocators point to it. What one allocated the other may release. */
void memory_budget_init(memory_budget *budget, const mprof_allocator *source, uint64_t limit);

/** After a refusal: why the latest one was, #MPROF_ERR_LIMIT or #MPROF_ERR_MEMORY. */
mprof_status memory_budget_status(const memory_budget *budget);

/** After a refusal: whether the latest one was for the limit. \p budget may be NULL: there is none. */
static inline int memory_budget_is_exceeded(const memory_budget *budget)
{
	return budget != NULL && budget->exceeded;
}

#endif
