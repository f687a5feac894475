/* SPDX-License-Identifier: MIT */
#include "model/interval_stack.h"

#include "base/array.h"

/* How far down the start of what ends is sought; keeps logs that are full of starts without ends from taking long. */
#define SEARCH_DEPTH 64

int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter)
{
	void *intervals = stack->intervals;

	if (!array_reserve(allocator, &intervals, &stack->capacity, stack->count + 1, sizeof(*stack->intervals)))
		return 0;
	stack->intervals = intervals;
	stack->intervals[stack->count].start = counter;
	stack->intervals[stack->count].id = id;
	stack->count++;
	return 1;
}

int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended)
{
	size_t found = stack->count;
	int64_t duration;

	if (stack->count == 0)
		return 0;
	while (found > 0 && stack->count - found < SEARCH_DEPTH && stack->intervals[found - 1].id != id)
		found--;
	if (found == 0 || stack->intervals[found - 1].id != id)
		found = stack->count;
	stack->count = found - 1;
	duration = (int64_t)(counter - stack->intervals[stack->count].start);
	ended->duration = duration > 0 ? (uint64_t)duration : 0;
	ended->id = stack->intervals[stack->count].id;
	ended->is_outermost = stack->count == 0;
	return 1;
}

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator)
{
	allocator_release(allocator, stack->intervals, stack->capacity * sizeof(*stack->intervals));
	stack->intervals = NULL;
	stack->count = 0;
	stack->capacity = 0;
}
