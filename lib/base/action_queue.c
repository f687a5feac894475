/* SPDX-License-Identifier: MIT */
/* Sorts the actions that are held back, by merging sorted runs. */
#include "base/action_queue.h"

#include "base/allocator.h"

#include <string.h>

#define ACTION_INLINE static inline __attribute__((always_inline))

void action_queue_init(action_queue *queue, const mprof_allocator *allocator, size_t size)
{
	memset(queue, 0, sizeof(*queue));
	queue->allocator = *allocator;
	queue->size = size;
	queue->is_sorted = 1;
}

void action_queue_destroy(action_queue *queue)
{
	allocator_release(&queue->allocator, queue->actions, queue->capacity * queue->size);
	allocator_release(&queue->allocator, queue->scratch, queue->scratch_capacity * queue->size);
	action_queue_init(queue, &queue->allocator, queue->size);
}

ACTION_INLINE uint64_t counter_at(const char *actions, size_t index, size_t size)
{
	return *(const uint64_t *)(const void *)(actions + index * size);
}

/* The end of the sorted run that starts at an index. */
ACTION_INLINE size_t sorted_run_end(const char *actions, size_t size, size_t start, size_t count)
{
	size_t end = start + 1;

	while (end < count && !counter_is_before(counter_at(actions, end, size), counter_at(actions, end - 1, size)))
		end++;
	return end;
}

int action_queue_add(action_queue *queue, const void *actions, size_t count)
{
	size_t last;

	if (queue->count + count > queue->capacity && queue->first > queue->capacity / 2)
		action_queue_drop(queue, queue->first);
	if (!array_reserve(&queue->allocator, &queue->actions, &queue->capacity, queue->count + count, queue->size) ||
	    !array_reserve(&queue->allocator, &queue->scratch, &queue->scratch_capacity, queue->count + count,
			   queue->size))
		return 0;
	memcpy(action_queue_at(queue, queue->count), actions, count * queue->size);
	last = queue->count - (queue->count > queue->first);
	queue->count += count;
	queue->is_sorted &= sorted_run_end(queue->actions, queue->size, last, queue->count) == queue->count;
	return 1;
}

/* Merges two adjacent runs. */
ACTION_INLINE void merge_adjacent_runs(char *to, const char *from, size_t size, size_t start, size_t middle, size_t end)
{
	size_t left = start;
	size_t right = middle;

	for (size_t index = start; index < end; index++) {
		int takes_right = left == middle || (right < end && counter_is_before(counter_at(from, right, size),
										      counter_at(from, left, size)));

		memcpy(to + index * size, from + (takes_right ? right++ : left++) * size, size);
	}
}

/* Merges pairs of adjacent runs. Returns the number of runs in \p from; 0 if it was stopped. */
ACTION_INLINE size_t merge_pairs(char *to, const char *from, size_t size, size_t count, progress *going)
{
	size_t runs = 0;
	size_t reported = 0;

	for (size_t start = 0; start < count;) {
		size_t middle = sorted_run_end(from, size, start, count);
		size_t end = middle < count ? sorted_run_end(from, size, middle, count) : middle;

		merge_adjacent_runs(to, from, size, start, middle, end);
		runs += middle < end ? 2 : 1;
		start = end;
		for (; going != NULL && start - reported >= PROGRESS_SPAN; reported += PROGRESS_SPAN) {
			if (!progress_report(going))
				return 0;
		}
	}
	return runs;
}

/* With a size that is constant here, the copy of an action is not a call. */
static size_t merge_actions(const action_queue *queue, progress *going)
{
	switch (queue->size) {
	case 32:
		return merge_pairs(queue->scratch, queue->actions, 32, queue->count, going);
	case 40:
		return merge_pairs(queue->scratch, queue->actions, 40, queue->count, going);
	default:
		return merge_pairs(queue->scratch, queue->actions, queue->size, queue->count, going);
	}
}

int action_queue_sort(action_queue *queue, progress *going)
{
	size_t runs;

	if (queue->is_sorted)
		return 1;
	action_queue_drop(queue, queue->first);
	do {
		void *merged = queue->scratch;
		size_t merged_capacity = queue->scratch_capacity;

		runs = merge_actions(queue, going);
		/* The actions are as before the pass. */
		if (runs == 0)
			return 0;
		queue->scratch = queue->actions;
		queue->scratch_capacity = queue->capacity;
		queue->actions = merged;
		queue->capacity = merged_capacity;
	} while (runs > 2);
	queue->is_sorted = 1;
	return 1;
}

void action_queue_drop(action_queue *queue, size_t count)
{
	queue->first = 0;
	queue->count -= count;
	/* If there are no actions, there may be no array either. */
	if (count > 0 && queue->count > 0)
		memmove(queue->actions, action_queue_at(queue, count), queue->count * queue->size);
}
