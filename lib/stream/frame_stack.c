/* SPDX-License-Identifier: MIT */
#include "stream/frame_stack.h"

#include <string.h>

void frame_stack_release(frame_stack *stack, const name_table *names)
{
	allocator_release(&names->allocator, stack->levels, stack->capacity * sizeof(*stack->levels));
	allocator_release(&names->allocator, stack->saved, stack->saved_capacity * sizeof(*stack->saved));
	memset(stack, 0, sizeof(*stack));
}

static mprof_status reserve(frame_stack *stack, name_table *names, size_t needed)
{
	void *levels = stack->levels;
	mprof_status status = name_table_reserve(names, &levels, &stack->capacity, needed, sizeof(*stack->levels));

	stack->levels = levels;
	return status;
}

/*
 * Saves what is about to be overwritten from the top of the stack on. Those above it were taken away before, so that
 * this costs no more than that did.
 */
static mprof_status save(frame_stack *stack, name_table *names)
{
	void *saved = stack->saved;
	mprof_status status;

	if (stack->count >= stack->low)
		return MPROF_OK;
	status = name_table_reserve(names, &saved, &stack->saved_capacity, stack->mark - stack->count,
				    sizeof(*stack->saved));
	stack->saved = saved;
	if (status != MPROF_OK)
		return status;
	while (stack->low > stack->count) {
		stack->low--;
		stack->saved[stack->mark - 1 - stack->low] = stack->levels[stack->low];
	}
	return MPROF_OK;
}

void frame_stack_take_back(frame_stack *stack)
{
	for (; stack->low < stack->mark; stack->low++)
		stack->levels[stack->low] = stack->saved[stack->mark - 1 - stack->low];
	stack->count = stack->mark;
}

static uint64_t depth_of(const frame_stack *stack)
{
	return stack->count > 0 ? stack->levels[stack->count - 1].depth : 0;
}

/* Room was made. */
static inline mprof_status push(frame_stack *stack, definition_interner *interner, uint64_t depth, uint64_t frame)
{
	uint32_t flags = (frame & 1) != 0 ? MPROF_EVENT_COMPILING : 0;
	uint32_t chain = frame_stack_chain(stack);
	mprof_status status = definition_intern_stack(interner, chain, (uint32_t)(frame >> 1), flags, &chain);
	const frame_level level = {depth, chain};

	stack->levels[stack->count++] = level;
	return status;
}

mprof_status frame_stack_apply(frame_stack *stack, definition_interner *interner, uint64_t keep, const uint64_t *frames,
			       size_t count)
{
	mprof_status result;

	while (depth_of(stack) > keep)
		stack->count--;
	result = reserve(stack, interner->table->names, stack->count + 1 + count);
	if (result == MPROF_OK && (count > 0 || depth_of(stack) < keep))
		result = save(stack, interner->table->names);
	if (result != MPROF_OK)
		return result;
	if (depth_of(stack) < keep)
		result = push(stack, interner, keep, 0);
	for (size_t i = count; i > 0; i--) {
		mprof_status status = push(stack, interner, depth_of(stack) + 1, frames[i - 1]);

		if (result == MPROF_OK)
			result = status;
	}
	return result;
}

/* How many frames a chain has. The ID of a caller is smaller, so this ends. */
static size_t chain_length(const definition_table *table, uint32_t chain)
{
	definition_stack step;
	size_t length = 0;

	for (; definition_table_get_stack(table, chain, &step); chain = step.parent)
		length++;
	return length;
}

mprof_status frame_stack_restore(frame_stack *stack, const definition_table *table, uint32_t chain)
{
	size_t length = chain_length(table, chain);
	mprof_status status = reserve(stack, table->names, length);
	definition_stack step;

	stack->count = 0;
	frame_stack_set_mark(stack);
	if (status != MPROF_OK)
		return status;
	stack->count = length;
	frame_stack_set_mark(stack);
	for (; definition_table_get_stack(table, chain, &step); chain = step.parent) {
		const frame_level level = {length, chain};

		stack->levels[--length] = level;
	}
	return MPROF_OK;
}
