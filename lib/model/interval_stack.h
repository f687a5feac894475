/* SPDX-License-Identifier: MIT */
/**
 * \file model/interval_stack.h
 * \brief What a thread has begun and not ended: compilations, or loads of classes. They nest.
 */
#ifndef MODEL_INTERVAL_STACK_H
#define MODEL_INTERVAL_STACK_H

#include "base/allocator.h"

typedef struct interval {
	uint64_t start; /**< Counter. */
	uint32_t id;    /**< Method or class. */
} interval;

typedef struct interval_stack {
	interval *intervals;
	size_t count;
	size_t capacity;
} interval_stack;

/** What ended. */
typedef struct ended_interval {
	uint64_t duration; /**< In counters; 0 if they went back. */
	uint32_t id;       /**< As the start said. */
	int is_outermost;  /**< Nothing else is begun. */
	int is_repeated;   /**< The same is begun further out as well, whose duration has this one in it. */
} ended_interval;

/** Returns 0, changing nothing, if there is no memory. */
int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter);

/**
 * Ends the innermost interval of \p id and forgets those inside it, whose ends are not in the log; if \p id was not
 * begun, ends the innermost interval, since some writers name the start and the end of a compilation differently.
 * Returns 0 if nothing is begun.
 */
int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended);

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator);

#endif
