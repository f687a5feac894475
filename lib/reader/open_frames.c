/* SPDX-License-Identifier: MIT */
/* Keeps the open calls of each stack, and stores them as nodes of a tree. */
#include "reader/open_frames.h"

#include <string.h>

void open_frames_init(open_frames *frames, memory_budget *budget)
{
	memset(frames, 0, sizeof(*frames));
	frames->budget = budget;
	thread_map_init(&frames->by_thread, &budget->allocator);
	hash_map_init(&frames->by_step, &budget->allocator);
	hash_map_init(&frames->by_number, &budget->allocator);
}

void open_stack_destroy(open_stack *stack, const mprof_allocator *allocator)
{
	call_frames_release(&stack->calls, allocator, sizeof(open_frame));
	allocator_release(allocator, stack->saved, stack->saved_capacity * sizeof(*stack->saved));
}

void open_frames_destroy(open_frames *frames)
{
	const mprof_allocator *allocator = thread_map_allocator(&frames->by_thread);

	for (size_t i = 0; i < frames->thread_count; i++)
		open_stack_destroy(&frames->threads[i].own.stack, allocator);
	for (size_t i = 0; i < frames->slot_count; i++)
		open_stack_destroy(&frames->slots[i].stack, allocator);
	allocator_release(allocator, frames->threads, frames->thread_capacity * sizeof(*frames->threads));
	allocator_release(allocator, frames->nodes, frames->node_capacity * sizeof(*frames->nodes));
	thread_map_destroy(&frames->by_thread);
	allocator_release(allocator, frames->slots, frames->slot_capacity * sizeof(*frames->slots));
	allocator_release(allocator, frames->touches, frames->touch_capacity * sizeof(*frames->touches));
	allocator_release(allocator, frames->switches, frames->switch_capacity * sizeof(*frames->switches));
	hash_map_destroy(&frames->by_step);
	hash_map_destroy(&frames->by_number);
}

mprof_status open_frames_thread(open_frames *frames, uint64_t thread, size_t *index)
{
	const size_t found = thread_map_find(&frames->by_thread, thread);
	void *threads = frames->threads;
	open_thread *made;
	mprof_status status;

	if (found != THREAD_MAP_NONE) {
		*index = found;
		return MPROF_OK;
	}
	status = memory_budget_thread_add(frames->budget, &frames->by_thread, thread, &threads,
					  &frames->thread_capacity, frames->thread_count, sizeof(*frames->threads));
	frames->threads = threads;
	if (status != MPROF_OK)
		return status;
	made = &frames->threads[frames->thread_count];
	made->thread = thread;
	/* An old generation marks the state of the thread as outdated. */
	made->generation = frames->generation - 1;
	made->own.generation = frames->generation - 1;
	call_frames_clear(&made->own.stack.calls, CALL_BASE_UNKNOWN);
	open_stack_set_mark(&made->own.stack);
	*index = frames->thread_count++;
	return MPROF_OK;
}

void open_stack_roll_back(open_stack *stack)
{
	for (; stack->low < stack->mark; stack->low++)
		open_stack_frames(stack)[stack->low] = stack->saved[stack->mark - 1 - stack->low];
	stack->calls.depth = stack->mark;
	stack->calls.base = stack->mark_base;
}

mprof_status open_stack_reserve(open_frames *frames, open_stack *stack, size_t depth)
{
	return memory_budget_reserve(frames->budget, &stack->calls.frames, &stack->calls.capacity, depth + 2,
				     sizeof(open_frame));
}

/* Adds the nodes of the #call_base values. */
static mprof_status add_base_nodes(open_frames *frames)
{
	void *nodes = frames->nodes;
	mprof_status status = memory_budget_reserve(frames->budget, &nodes, &frames->node_capacity,
						    OPEN_FRAMES_FIRST_NODE, sizeof(*frames->nodes));

	frames->nodes = nodes;
	if (status != MPROF_OK)
		return status;
	memset(frames->nodes, 0, OPEN_FRAMES_FIRST_NODE * sizeof(*frames->nodes));
	frames->node_count = OPEN_FRAMES_FIRST_NODE;
	return MPROF_OK;
}

/* Sets *node to the node of a method on top of the node \p parent. Adds the node if missing. */
static mprof_status add_node(open_frames *frames, uint32_t parent, uint32_t method, uint32_t *node)
{
	const uint64_t key = (uint64_t)parent << 32 | method;
	const uint64_t *found = hash_map_get(&frames->by_step, key);
	void *nodes = frames->nodes;
	mprof_status status;

	if (found != NULL) {
		*node = (uint32_t)*found;
		return MPROF_OK;
	}
	if (frames->node_count == UINT32_MAX)
		return MPROF_ERR_LIMIT;
	status = memory_budget_reserve(frames->budget, &nodes, &frames->node_capacity, frames->node_count + 1,
				       sizeof(*frames->nodes));
	frames->nodes = nodes;
	if (status == MPROF_OK)
		status = memory_budget_map_put(frames->budget, &frames->by_step, key, frames->node_count);
	if (status != MPROF_OK)
		return status;
	frames->nodes[frames->node_count] = (open_node){parent, method};
	*node = (uint32_t)frames->node_count++;
	return MPROF_OK;
}

mprof_status open_frames_push(open_frames *frames, uint32_t parent, uint32_t method, uint32_t *node)
{
	mprof_status status = frames->node_count == 0 ? add_base_nodes(frames) : MPROF_OK;

	return status == MPROF_OK ? add_node(frames, parent, method, node) : status;
}

mprof_status open_frames_keep(open_frames *frames, open_stack *stack, uint32_t *node)
{
	mprof_status status = frames->node_count == 0 ? add_base_nodes(frames) : MPROF_OK;
	open_frame *open = stack->calls.frames;
	size_t known = stack->calls.depth;

	while (known > 0 && open[known - 1].node == 0)
		known--;
	*node = known > 0 ? open[known - 1].node : stack->calls.base;
	for (; known < stack->calls.depth && status == MPROF_OK; known++) {
		status = add_node(frames, *node, open[known].method, node);
		open[known].node = status == MPROF_OK ? *node : 0;
	}
	if (status != MPROF_OK)
		*node = 0;
	return status;
}

mprof_status open_frames_restore(open_frames *frames, open_stack *stack, uint32_t node)
{
	size_t depth = 0;
	mprof_status status;

	for (uint32_t step = node; step >= OPEN_FRAMES_FIRST_NODE; step = frames->nodes[step].parent)
		depth++;
	call_frames_clear(&stack->calls, CALL_BASE_UNKNOWN);
	open_stack_set_mark(stack);
	status = open_stack_reserve(frames, stack, depth);
	if (status != MPROF_OK)
		return status;
	stack->calls.depth = depth;
	for (; node >= OPEN_FRAMES_FIRST_NODE; node = frames->nodes[node].parent)
		open_stack_frames(stack)[--depth] = (open_frame){frames->nodes[node].method, node};
	stack->calls.base = node;
	open_stack_set_mark(stack);
	return MPROF_OK;
}
