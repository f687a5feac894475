/* SPDX-License-Identifier: MIT */
/**
 * \file model/memory_order.h
 * \brief Sorts the actions of threads on native memory by time.
 *
 * Blocks of one thread are in order, those of different threads are not: a free may precede its allocation. Actions are
 * held back until a watermark covers them. Each block is a sorted run, so sorting merges runs.
 */
#ifndef MODEL_MEMORY_ORDER_H
#define MODEL_MEMORY_ORDER_H

#include "base/allocator.h"
#include "base/progress.h"

typedef enum memory_action_kind {
	MEMORY_ALLOCATE,
	MEMORY_FREE,
	MEMORY_LEAVE,  /**< A resize starts: another thread may be given the address. */
	MEMORY_ARRIVE, /**< A resize ends: the memory of the thread's last MEMORY_LEAVE is at this address. */
	MEMORY_DONE    /**< Processed before its turn. */
} memory_action_kind;

typedef struct memory_action {
	uint64_t counter;
	uint64_t address;
	uint64_t size;
	uint32_t stack;  /**< Call stack, 0 if not known. */
	uint32_t thread; /**< Number of the thread. */
	uint32_t kind;   /**< A #memory_action_kind, or as defined by the owner. */
} memory_action;

typedef struct memory_order {
	mprof_allocator allocator;
	memory_action *actions; /**< The actions held back. */
	size_t count;
	size_t capacity;
	memory_action *scratch; /**< Destination of a merge: has room for all actions. */
	size_t scratch_capacity;
} memory_order;

/** Whether one counter is before another one, also if counters wrap around at 2^64. */
static inline int memory_is_before(uint64_t left, uint64_t right)
{
	return (int64_t)(left - right) < 0;
}

void memory_order_init(memory_order *order, const mprof_allocator *allocator);
void memory_order_destroy(memory_order *order);

/** Adds actions, all or none. Returns 0 if there is no memory; sorting needs no more than was reserved here. */
int memory_order_add(memory_order *order, const memory_action *actions, size_t count);

/**
 * Sorts all actions by their counters; actions with the same counter keep their order. \p going may be NULL; otherwise
 * about log2 of the number of blocks steps are made for each action. Returns 0 if it was stopped; the same call
 * continues.
 */
int memory_order_sort(memory_order *order, progress *going);

/** Removes the first actions. */
void memory_order_drop(memory_order *order, size_t count);

#endif
