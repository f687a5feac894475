/* SPDX-License-Identifier: MIT */
/* Sorts the actions that are held back, by merging sorted runs. */
#include "model/memory_order.h"

#include "base/checked.h"

#include <string.h>

void memory_order_init(memory_order *order, const mprof_allocator *allocator)
{
	memset(order, 0, sizeof(*order));
	order->allocator = *allocator;
}

void memory_order_destroy(memory_order *order)
{
	allocator_release(&order->allocator, order->actions, order->capacity * sizeof(*order->actions));
	allocator_release(&order->allocator, order->scratch, order->scratch_capacity * sizeof(*order->scratch));
	memory_order_init(order, &order->allocator);
}

int memory_order_add(memory_order *order, const memory_action *actions, size_t count)
{
	void *kept = order->actions;
	void *scratch = order->scratch;
	int has_room = array_reserve(&order->allocator, &kept, &order->capacity, order->count + count,
				     sizeof(*order->actions)) &&
		       array_reserve(&order->allocator, &scratch, &order->scratch_capacity, order->count + count,
				     sizeof(*order->scratch));

	order->actions = kept;
	order->scratch = scratch;
	if (!has_room)
		return 0;
	memcpy(order->actions + order->count, actions, count * sizeof(*actions));
	order->count += count;
	return 1;
}

/* The end of the sorted run that starts at an index. */
static size_t sorted_run_end(const memory_action *actions, size_t start, size_t count)
{
	size_t end = start + 1;

	while (end < count && !memory_is_before(actions[end].counter, actions[end - 1].counter))
		end++;
	return end;
}

/* Merges two adjacent runs. */
static void merge_adjacent_runs(memory_action *to, const memory_action *from, size_t start, size_t middle, size_t end)
{
	size_t left = start;
	size_t right = middle;

	for (size_t index = start; index < end; index++) {
		int takes_right =
			left == middle || (right < end && memory_is_before(from[right].counter, from[left].counter));

		to[index] = takes_right ? from[right++] : from[left++];
	}
}

/* Merges pairs of adjacent runs. Returns the number of runs in \p from; 0 if it was stopped. */
static size_t merge_pairs(memory_action *to, const memory_action *from, size_t count, progress *going)
{
	size_t runs = 0;
	size_t reported = 0;

	for (size_t start = 0; start < count;) {
		size_t middle = sorted_run_end(from, start, count);
		size_t end = middle < count ? sorted_run_end(from, middle, count) : middle;

		merge_adjacent_runs(to, from, start, middle, end);
		runs += middle < end ? 2 : 1;
		start = end;
		for (; going != NULL && start - reported >= PROGRESS_SPAN; reported += PROGRESS_SPAN) {
			if (!progress_report(going))
				return 0;
		}
	}
	return runs;
}

int memory_order_sort(memory_order *order, progress *going)
{
	size_t runs;

	if (order->count == 0 || sorted_run_end(order->actions, 0, order->count) == order->count)
		return 1;
	do {
		memory_action *merged = order->scratch;
		size_t merged_capacity = order->scratch_capacity;

		runs = merge_pairs(merged, order->actions, order->count, going);
		/* The actions are as before the pass. */
		if (runs == 0)
			return 0;
		order->scratch = order->actions;
		order->scratch_capacity = order->capacity;
		order->actions = merged;
		order->capacity = merged_capacity;
	} while (runs > 2);
	return 1;
}

void memory_order_drop(memory_order *order, size_t count)
{
	order->count -= count;
	/* If there are no actions, there may be no array either. */
	if (order->count > 0)
		memmove(order->actions, order->actions + count, order->count * sizeof(*order->actions));
}
