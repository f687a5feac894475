/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory_order.h
 * \brief Puts what threads did with native memory in the order of time.
 *
 * Blocks of one thread are in order, those of different threads are not: a free may stand before the allocation that it
 * undoes. Actions are held back until a watermark covers them. Each block is a sorted run, so sorting
 * merges runs.
 */
#ifndef MODEL_MEMORY_ORDER_H
#define MODEL_MEMORY_ORDER_H

#include "base/allocator.h"

typedef enum memory_action_kind {
	MEMORY_ALLOCATE,
	MEMORY_FREE,
	MEMORY_LEAVE,  /**< A resize starts: the address may become another's. */
	MEMORY_ARRIVE, /**< It is done: the memory that the thread's last MEMORY_LEAVE was about has another address. */
	MEMORY_DONE    /**< Handled before its turn. */
} memory_action_kind;

typedef struct memory_action {
	uint64_t counter;
	uint64_t address;
	uint64_t size;
	uint32_t stack;  /**< Call stack, 0 if not known. */
	uint32_t thread; /**< Number of the thread. */
	uint32_t kind;   /**< A #memory_action_kind. */
} memory_action;

typedef struct memory_order {
	mprof_allocator allocator;
	memory_action *actions; /**< Those held back. */
	size_t count;
	size_t capacity;
	memory_action *scratch; /**< Where runs are merged to: has room for all. */
	size_t scratch_capacity;
} memory_order;

/** Whether one counter is before another one, also where counters pass 2^64. */
static inline int memory_is_before(uint64_t left, uint64_t right)
{
	return (int64_t)(left - right) < 0;
}

void memory_order_init(memory_order *order, const mprof_allocator *allocator);
void memory_order_destroy(memory_order *order);

/** Adds actions, all or none. Returns 0 if there is no memory; there is enough to sort what was added. */
int memory_order_add(memory_order *order, const memory_action *actions, size_t count);

/** Sorts all by their counters; those with the same one stay as they were added. */
void memory_order_sort(memory_order *order);

/** Takes away the first ones. */
void memory_order_drop(memory_order *order, size_t count);

#endif
