/* SPDX-License-Identifier: MIT */
/**
 * \file model/interval_stack.h
 * \brief The intervals that a thread has begun and not ended: compilations, or loads of classes. They nest.
 */
#ifndef MODEL_INTERVAL_STACK_H
#define MODEL_INTERVAL_STACK_H

#include "base/allocator.h"

typedef struct interval {
	uint64_t start;  /**< Counter. */
	uint64_t nested; /**< Sum of the durations of the intervals directly inside it that have ended. */
	size_t result;   /**< As set by interval_stack_set_result(); 0 if not. */
	uint32_t id;     /**< Method or class. */
} interval;

typedef struct interval_stack {
	interval *intervals;
	size_t count;
	size_t capacity;
} interval_stack;

/** An interval that has ended. */
typedef struct ended_interval {
	uint64_t duration; /**< In counters; 0 if they went backwards. */
	uint64_t self;     /**< The duration without that of intervals inside it. */
	size_t result;     /**< As set by interval_stack_set_result(); 0 if not. */
	uint32_t id;       /**< The ID at the start. */
	int is_outermost;  /**< No other interval is open. */
	int is_repeated;   /**< An outer interval of the same ID is open, whose duration includes this one. */
} ended_interval;

/** Returns 0, changing nothing, if there is no memory. */
int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter);

/** Sets the result of the innermost interval of \p id, a number above 0 that the caller defines. Ignored if none. */
void interval_stack_set_result(interval_stack *stack, uint32_t id, size_t result);

/**
 * Ends the innermost interval of \p id and discards those inside it, whose ends are not in the log. If there is none of
 * \p id, ends the innermost interval, since some writers use different names for the start and the end of a
 * compilation. Returns 0 if no interval is open.
 */
int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended);

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator);

#endif
