/* SPDX-License-Identifier: MIT */
/**
 * \file model/interval_stack.h
 * \brief The intervals that a thread has begun and not ended: compilations, or loads of classes. They nest.
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

/** An interval that has ended. */
typedef struct ended_interval {
	uint64_t duration; /**< In counters; 0 if they went backwards. */
	uint32_t id;       /**< The ID at the start. */
	int is_outermost;  /**< No other interval is open. */
	int is_repeated;   /**< An outer interval of the same ID is open, whose duration includes this one. */
} ended_interval;

/** Returns 0, changing nothing, if there is no memory. */
int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter);

/**
 * Ends the innermost interval of \p id and discards those inside it, whose ends are not in the log. If there is none of
 * \p id, ends the innermost interval, since some writers use different names for the start and the end of a
 * compilation. Returns 0 if no interval is open.
 */
int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended);

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator);

#endif
