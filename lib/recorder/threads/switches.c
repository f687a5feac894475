/* SPDX-License-Identifier: MIT */
/* Switches of threads between call stacks. */
#include "recorder/threads/switches.h"

#include "recorder/tables/keys.h"

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

static void release_leaves(stack_state *state, const mprof_allocator *allocator)
{
	shadow_stack_destroy(&((switched_stack *)state)->leaves, allocator);
}

void switches_destroy(stack_table *table)
{
	stack_table_destroy(table, release_leaves);
}

void switches_leave(thread_stacks *stacks, uint64_t counter)
{
	if (stacks->other == NULL)
		return;
	stacks->other->state.thread = 0;
	stacks->other->state.left_at = counter;
	stacks->other->holder = NULL;
	stacks->other = NULL;
}

int switches_enter(stack_table *table, thread_stacks *stacks, uint32_t serial, uint64_t number, uint64_t counter)
{
	switched_stack *next = NULL;
	uint64_t left_at;

	if (number != 0) {
		next = (switched_stack *)stack_table_find(table, number);
		if (next == NULL)
			next = (switched_stack *)stack_table_add(table, number, counter);
		if (next == NULL)
			return 0;
	}
	if (next == stacks->other)
		return 1;
	/* Readers do the same if the switch away from the stack is missing. */
	if (next != NULL && next->holder != NULL)
		switches_leave(next->holder, counter);
	left_at = next != NULL ? next->state.left_at : stacks->own_left;
	if (stacks->other == NULL)
		stacks->own_left = counter;
	switches_leave(stacks, counter);
	stacks->other = next;
	if (next != NULL) {
		next->state.thread = serial;
		next->holder = stacks;
	}
	if (stack_table_is_stale(table, left_at))
		call_frames_clear(&thread_stacks_current(stacks)->calls, CALL_BASE_GAP);
	return 1;
}

void switches_end(stack_table *table, uint64_t number)
{
	switched_stack *stack = (switched_stack *)stack_table_find(table, number);

	if (stack == NULL)
		return;
	if (stack->holder != NULL)
		switches_leave(stack->holder, stack->state.left_at);
	shadow_stack_destroy(&stack->leaves, &table->states.index.allocator);
	stack_table_remove(table, &stack->state);
}

void switches_forget(const stack_table *table, const mprof_key_range *ranges, size_t count)
{
	const hash_map_entry *entry;

	for (size_t slot = 0; (entry = hash_map_next(&table->states, &slot)) != NULL;)
		shadow_stack_forget(&((switched_stack *)(uintptr_t)entry->value)->leaves, ranges, count);
}
