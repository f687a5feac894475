/* SPDX-License-Identifier: MIT */
/**
 * \file base/action_queue.h
 * \brief Holds the actions of threads back, and sorts them by time.
 *
 * Actions of one thread are in order, those of different threads are not: a free may precede its allocation. Each block
 * or buffer of a thread is a sorted run, so sorting merges runs.
 *
 * An action is a struct that begins with its counter, a uint64_t.
 */
#ifndef BASE_ACTION_QUEUE_H
#define BASE_ACTION_QUEUE_H

#include "base/allocator.h"
#include "base/progress.h"

typedef struct action_queue {
	mprof_allocator allocator;
	size_t size;   /**< Of an action, in bytes. */
	void *actions; /**< In the order in which they were added, or by time. */
	size_t first;  /**< The first action that was not taken yet. */
	size_t count;  /**< Number of actions, taken ones included. */
	size_t capacity;
	void *scratch; /**< Destination of a merge: has room for all actions. */
	size_t scratch_capacity;
	int is_sorted;
} action_queue;

/** Whether one counter is before another one, also if counters wrap around at 2^64. */
static inline int counter_is_before(uint64_t left, uint64_t right)
{
	return (int64_t)(left - right) < 0;
}

/** Initializes an empty queue; allocates nothing yet. */
void action_queue_init(action_queue *queue, const mprof_allocator *allocator, size_t size);

/** Removes all actions and frees the memory; the queue can be used again. */
void action_queue_destroy(action_queue *queue);

/** Adds actions, all or none. Returns 0 if there is no memory; sorting needs no more than was reserved here. */
int action_queue_add(action_queue *queue, const void *actions, size_t count);

/**
 * Sorts all actions by their counters; actions with the same counter keep their order. \p going may be NULL; otherwise
 * about log2 of the number of blocks steps are made for each action. Returns 0 if it was stopped; the same call
 * continues.
 */
int action_queue_sort(action_queue *queue, progress *going);

/** Removes the first actions. */
void action_queue_drop(action_queue *queue, size_t count);

/** The action with an index. Valid until actions are added. */
static inline void *action_queue_at(const action_queue *queue, size_t index)
{
	return (char *)queue->actions + index * queue->size;
}

/** Takes the first action if it is before \p counter, or returns NULL. Valid until actions are added. */
static inline const void *action_queue_take(action_queue *queue, uint64_t counter)
{
	const void *action;

	if (queue->first == queue->count)
		return NULL;
	action = action_queue_at(queue, queue->first);
	if (!counter_is_before(*(const uint64_t *)action, counter))
		return NULL;
	queue->first++;
	return action;
}

#endif
