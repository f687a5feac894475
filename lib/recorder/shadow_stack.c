/* SPDX-License-Identifier: MIT */
/* Follows the open methods of a call stack, to recognize leaves of the method on top. */
#include "recorder/shadow_stack.h"

#include "base/array.h"
#include "recorder/key_table.h"

void shadow_stack_destroy(shadow_stack *stack, const mprof_allocator *allocator)
{
	allocator_release(allocator, stack->frames, stack->capacity * sizeof(*stack->frames));
	stack->frames = NULL;
	stack->capacity = 0;
	stack->depth = 0;
}

void shadow_stack_enter_deeper(shadow_stack *stack, const mprof_allocator *allocator, uint64_t key, uint32_t method)
{
	void *frames = stack->frames;

	if (stack->lost)
		return;
	if (stack->depth >= SHADOW_STACK_MAX ||
	    !array_reserve(allocator, &frames, &stack->capacity, stack->depth + 2, sizeof(*stack->frames))) {
		stack->lost = 1;
		return;
	}
	stack->frames = frames;
	stack->frames[stack->depth++] = (shadow_frame){key, method};
}

void shadow_stack_leave(shadow_stack *stack, uint32_t method)
{
	for (size_t depth = stack->depth; depth > 0; depth--) {
		if (stack->frames[depth - 1].method == method) {
			stack->depth = depth - 1;
			return;
		}
	}
	stack->failed_steps += stack->depth;
}

size_t shadow_stack_copy(const shadow_stack *stack, uint32_t *methods, size_t most)
{
	const size_t count = stack->depth < most ? stack->depth : most;

	for (size_t i = 0; i < count; i++)
		methods[i] = stack->frames[i].method;
	return count;
}

void shadow_stack_forget(shadow_stack *stack, const mprof_key_range *ranges, size_t count)
{
	for (size_t depth = 0; depth < stack->depth; depth++) {
		if (key_ranges_hold(ranges, count, stack->frames[depth].key))
			stack->frames[depth].key = 0;
	}
}

void shadow_stack_restart(shadow_stack *stack)
{
	stack->depth = 0;
	stack->lost = 0;
}
