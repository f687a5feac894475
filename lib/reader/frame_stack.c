/* SPDX-License-Identifier: MIT */
/* The call stacks of a dialect with stack sections, and memory for the details of events. */
#include "reader/frame_stack.h"

#include "base/checked.h"

#include <string.h>

void frame_stack_release(frame_stack *stack, memory_budget *budget)
{
	allocator_release(&budget->allocator, stack->levels, stack->capacity * sizeof(*stack->levels));
	allocator_release(&budget->allocator, stack->saved, stack->saved_capacity * sizeof(*stack->saved));
	memset(stack, 0, sizeof(*stack));
}

static mprof_status levels_reserve(frame_stack *stack, memory_budget *budget, size_t needed)
{
	void *levels = stack->levels;
	mprof_status status = memory_budget_reserve(budget, &levels, &stack->capacity, needed, sizeof(*stack->levels));

	stack->levels = levels;
	return status;
}

/*
 * Saves the levels from the top of the stack up to the lowest one already saved, because they are about to be
 * overwritten. They were popped since the mark, so saving them costs no more than popping them did.
 */
static mprof_status save_levels(frame_stack *stack, memory_budget *budget)
{
	void *saved = stack->saved;
	mprof_status status;

	status = memory_budget_reserve(budget, &saved, &stack->saved_capacity, stack->mark - stack->count,
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

void frame_stack_roll_back(frame_stack *stack)
{
	for (; stack->low < stack->mark; stack->low++)
		stack->levels[stack->low] = stack->saved[stack->mark - 1 - stack->low];
	stack->count = stack->mark;
}

static uint64_t depth_of(const frame_stack *stack)
{
	return stack->count > 0 ? stack->levels[stack->count - 1].depth : 0;
}

/* The caller has made room. */
static inline mprof_status push_frame(frame_stack *stack, definition_interner *interner, uint64_t depth, uint64_t frame)
{
	uint32_t flags = (frame & 1) != 0 ? MPROF_EVENT_FLAG_COMPILING : 0;
	uint32_t stack_id = frame_stack_id(stack);
	mprof_status status = definition_intern_stack(interner, stack_id, (uint32_t)(frame >> 1), flags, &stack_id);
	const frame_level level = {depth, stack_id};

	stack->levels[stack->count++] = level;
	return status;
}

/* Pops levels until at most \p keep frames are left. */
static inline void pop_frames(frame_stack *stack, uint64_t keep)
{
	/* If all frames are known, each level is one frame. */
	if (__builtin_expect(depth_of(stack) == stack->count, 1)) {
		stack->count = stack->count < keep ? stack->count : (size_t)keep;
		return;
	}
	while (depth_of(stack) > keep)
		stack->count--;
}

/* Makes room for the frames of a section, and saves the levels that it overwrites. */
static inline mprof_status section_reserve(frame_stack *stack, memory_budget *budget, size_t count)
{
	mprof_status status = MPROF_OK;

	if (__builtin_expect(stack->capacity - stack->count < count, 0))
		status = levels_reserve(stack, budget, stack->count + count);
	if (status == MPROF_OK && count > 0 && stack->count < stack->low)
		status = save_levels(stack, budget);
	return status;
}

mprof_status frame_stack_apply(frame_stack *stack, definition_interner *interner, uint64_t keep, const uint64_t *frames,
			       size_t count)
{
	mprof_status result;
	int is_gap;

	pop_frames(stack, keep);
	is_gap = depth_of(stack) < keep;
	result = section_reserve(stack, interner->table->names->budget, count + (size_t)is_gap);
	if (result != MPROF_OK)
		return result;
	if (__builtin_expect(is_gap, 0))
		result = push_frame(stack, interner, keep, 0);
	for (size_t i = count; i > 0; i--) {
		mprof_status status = push_frame(stack, interner, depth_of(stack) + 1, frames[i - 1]);

		if (result == MPROF_OK || status == MPROF_ERR_MEMORY)
			result = status;
	}
	return result;
}

/*
 * Returns the number of frames of a call stack. The ID of a caller's stack is always smaller, so the loop terminates.
 */
static size_t stack_length(const definition_table *table, uint32_t stack_id)
{
	definition_stack step;
	size_t length = 0;

	for (; definition_table_get_stack(table, stack_id, &step); stack_id = step.parent)
		length++;
	return length;
}

mprof_status frame_stack_restore(frame_stack *stack, const definition_table *table, uint32_t stack_id)
{
	size_t length = stack_length(table, stack_id);
	mprof_status status = levels_reserve(stack, table->names->budget, length);
	definition_stack step;

	stack->count = 0;
	frame_stack_set_mark(stack);
	if (status != MPROF_OK)
		return status;
	stack->count = length;
	frame_stack_set_mark(stack);
	for (; definition_table_get_stack(table, stack_id, &step); stack_id = step.parent) {
		const frame_level level = {length, stack_id};

		stack->levels[--length] = level;
	}
	return MPROF_OK;
}

int detail_pool_prepare(detail_pool *pool, const mprof_allocator *allocator, size_t count)
{
	void *details = pool->details;
	int has_room = array_reserve(allocator, &details, &pool->capacity, count, sizeof(*pool->details));

	pool->details = details;
	pool->used = 0;
	return has_room;
}

mprof_event_detail *detail_pool_take(detail_pool *pool)
{
	mprof_event_detail *detail;

	if (pool->used == pool->capacity)
		return NULL;
	detail = &pool->details[pool->used++];
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	return detail;
}

void detail_pool_destroy(detail_pool *pool, const mprof_allocator *allocator)
{
	allocator_release(allocator, pool->details, pool->capacity * sizeof(*pool->details));
}
