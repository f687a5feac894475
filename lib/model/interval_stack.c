/* SPDX-License-Identifier: MIT */
/* Measures intervals that nest, such as compilations. */
#include "model/interval_stack.h"

#include "base/array.h"

/*
 * Maximum number of intervals that are searched for the start of the one that ends. Bounds the time for logs with many
 * starts and no ends.
 */
#define SEARCH_DEPTH 64

#define NONE SIZE_MAX

int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter)
{
	void *intervals = stack->intervals;

	if (!array_reserve(allocator, &intervals, &stack->capacity, stack->count + 1, sizeof(*stack->intervals)))
		return 0;
	stack->intervals = intervals;
	stack->intervals[stack->count++] = (interval){.start = counter, .id = id};
	return 1;
}

/* The index of the innermost interval of \p id; NONE if none. */
static size_t find_interval(const interval_stack *stack, uint32_t id)
{
	for (size_t i = stack->count; i > 0 && stack->count - i < SEARCH_DEPTH; i--) {
		if (stack->intervals[i - 1].id == id)
			return i - 1;
	}
	return NONE;
}

void interval_stack_set_result(interval_stack *stack, uint32_t id, size_t result)
{
	size_t found = find_interval(stack, id);

	if (found != NONE)
		stack->intervals[found].result = result;
}

int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended)
{
	size_t found = find_interval(stack, id);
	const interval *last;
	int64_t duration;

	if (stack->count == 0)
		return 0;
	stack->count = found != NONE ? found : stack->count - 1;
	last = &stack->intervals[stack->count];
	duration = (int64_t)(counter - last->start);
	ended->duration = duration > 0 ? (uint64_t)duration : 0;
	ended->self = ended->duration > last->nested ? ended->duration - last->nested : 0;
	ended->result = last->result;
	ended->id = last->id;
	if (stack->count > 0)
		stack->intervals[stack->count - 1].nested += ended->duration;
	ended->is_outermost = stack->count == 0;
	ended->is_repeated = find_interval(stack, ended->id) != NONE;
	return 1;
}

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator)
{
	allocator_release(allocator, stack->intervals, stack->capacity * sizeof(*stack->intervals));
	stack->intervals = NULL;
	stack->count = 0;
	stack->capacity = 0;
}
