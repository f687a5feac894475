/* SPDX-License-Identifier: MIT */
#include "stream/frame_stack.h"

#include <string.h>

void frame_stack_release(frame_stack *stack, const name_table *names)
{
	allocator_release(&names->allocator, stack->levels, stack->capacity * sizeof(*stack->levels));
	memset(stack, 0, sizeof(*stack));
}

static mprof_status reserve(frame_stack *stack, name_table *names, size_t needed)
{
	void *levels = stack->levels;
	mprof_status status = name_table_reserve(names, &levels, &stack->capacity, needed, sizeof(*stack->levels));

	stack->levels = levels;
	return status;
}

static uint64_t depth_of(const frame_stack *stack)
{
	return stack->count > 0 ? stack->levels[stack->count - 1].depth : 0;
}

/* Room was made. */
static mprof_status push(frame_stack *stack, definition_interner *interner, uint64_t depth, uint64_t frame)
{
	frame_level level = {depth, frame_stack_chain(stack)};
	uint32_t flags = (frame & 1) != 0 ? MPROF_EVENT_COMPILING : 0;
	mprof_status status =
		definition_intern_stack(interner, level.chain, (uint32_t)(frame >> 1), flags, &level.chain);

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

mprof_status frame_stack_copy(frame_stack *to, const frame_stack *from, name_table *names)
{
	mprof_status status = reserve(to, names, from->count);

	if (status != MPROF_OK)
		return status;
	if (from->count > 0)
		memcpy(to->levels, from->levels, from->count * sizeof(*from->levels));
	to->count = from->count;
	return MPROF_OK;
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

	if (status != MPROF_OK)
		return status;
	stack->count = length;
	for (; definition_table_get_stack(table, chain, &step); chain = step.parent) {
		length--;
		stack->levels[length].depth = length + 1;
		stack->levels[length].chain = chain;
	}
	return MPROF_OK;
}
