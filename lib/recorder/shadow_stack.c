/* SPDX-License-Identifier: MIT */
/* Follows the open methods of a call stack, to recognize leaves of the method on top. */
#include "recorder/shadow_stack.h"

#include "recorder/key_table.h"

void shadow_stack_enter_deeper(shadow_stack *stack, const mprof_allocator *allocator, uint64_t key, uint32_t method)
{
	if (call_frames_make_room(&stack->calls, allocator, sizeof(shadow_frame), CALL_FRAMES_MAX_RECORDED))
		shadow_stack_frames(stack)[stack->calls.depth++] = (shadow_frame){method, key};
	else
		call_frames_clear(&stack->calls, CALL_BASE_UNKNOWN);
}

size_t shadow_stack_copy(const shadow_stack *stack, uint32_t *methods, size_t most)
{
	const size_t count = stack->calls.depth < most ? stack->calls.depth : most;

	for (size_t i = 0; i < count; i++)
		methods[i] = shadow_stack_frames(stack)[i].method;
	return count;
}

void shadow_stack_forget(shadow_stack *stack, const mprof_key_range *ranges, size_t count)
{
	for (size_t depth = 0; depth < stack->calls.depth; depth++) {
		shadow_frame *frame = &shadow_stack_frames(stack)[depth];

		if (key_ranges_hold(ranges, count, frame->key))
			frame->key = 0;
	}
}
