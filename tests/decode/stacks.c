/* SPDX-License-Identifier: MIT */
/* The call stacks of threads, and the tree of all call paths. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

thread_state *stacks_thread(oracle *all, uint64_t id)
{
	thread_state *thread;

	for (size_t i = 0; i < all->thread_count; i++) {
		if (all->threads[i].id == id)
			return &all->threads[i];
	}
	all->threads = room_for(all->threads, all->thread_count + 1, &all->thread_capacity, sizeof(*all->threads));
	thread = &all->threads[all->thread_count++];
	thread->id = id;
	return thread;
}

static int section_tree(const oracle *all)
{
	return has_fault(all, FAULT_ONE_STACK) ? TREE_CALLS : TREE_SECTIONS;
}

/* The start of a frame that a stack section reports. */
#define NOT_ENTERED 0

static void push(oracle *all, thread_state *thread, int tree, uint32_t method, int is_compiling, uint64_t start)
{
	frame_stack *stack = &thread->stacks[tree];
	size_t caller = stack->count > 0 ? stack->frames[stack->count - 1].node : 0;
	open_frame *frame;

	stack->frames = room_for(stack->frames, stack->count + 1, &stack->capacity, sizeof(*stack->frames));
	frame = &stack->frames[stack->count++];
	frame->method = method;
	frame->is_compiling = is_compiling;
	frame->start = start;
	frame->node = facts_find(&all->trees[tree].nodes, caller, method, (uint64_t)is_compiling) + 1;
}

/* A node with a number is shown, and so are its callers. */
static void show(oracle *all, int tree, size_t node)
{
	call_tree *shown = &all->trees[tree];
	fact *row = &shown->nodes.rows[node - 1];

	if (row->sums[NODE_NUMBER] != 0)
		return;
	if (row->key[0] != 0)
		show(all, tree, (size_t)row->key[0]);
	shown->numbered++;
	row->sums[NODE_NUMBER] = has_fault(all, FAULT_STACK_NUMBERS) ? shown->numbered : node;
}

/* Ends the innermost call. */
static void pop(oracle *all, thread_state *thread)
{
	frame_stack *stack = &thread->stacks[TREE_CALLS];
	open_frame frame = stack->frames[--stack->count];
	uint64_t clicks = thread->now - frame.start;
	fact *node;

	if (frame.is_compiling)
		return;
	names_get(&all->methods, frame.method)->clicks += clicks;
	if (stack->count > 0)
		facts_get(&all->callers, frame.method, stack->frames[stack->count - 1].method, 0)->sums[0]++;
	show(all, TREE_CALLS, frame.node);
	node = &all->trees[TREE_CALLS].nodes.rows[frame.node - 1];
	node->sums[NODE_CLICKS] += clicks;
	node->sums[NODE_CALLS]++;
}

/* Ends the innermost frame of a method or of its compilation, and all frames above it. */
static void leave(oracle *all, thread_state *thread, uint32_t method, int is_compiling)
{
	frame_stack *stack = &thread->stacks[TREE_CALLS];
	size_t kept = stack->count;

	while (kept > 0 &&
	       (stack->frames[kept - 1].method != method || stack->frames[kept - 1].is_compiling != is_compiling))
		kept--;
	if (kept == 0 && !has_fault(all, FAULT_LOST_FRAMES))
		return;
	kept = kept > 0 ? kept - 1 : 0;
	while (stack->count > kept)
		pop(all, thread);
}

void stacks_enter(oracle *all, thread_state *thread, uint32_t method)
{
	push(all, thread, TREE_CALLS, method, 0, thread->now);
}

void stacks_leave(oracle *all, thread_state *thread, uint32_t method)
{
	leave(all, thread, method, 0);
}

void stacks_enter_compilation(oracle *all, thread_state *thread, uint32_t method)
{
	push(all, thread, TREE_CALLS, method, 1, thread->now);
}

void stacks_leave_compilation(oracle *all, thread_state *thread, uint32_t method)
{
	leave(all, thread, method, 1);
}

/* A method that was entered and not left counts as a call. */
static void close_calls(oracle *all, thread_state *thread)
{
	frame_stack *stack = &thread->stacks[TREE_CALLS];

	while (stack->count > 0) {
		if (has_fault(all, FAULT_OPEN_CALLS) || stack->frames[stack->count - 1].start == NOT_ENTERED)
			stack->count--;
		else
			pop(all, thread);
	}
}

void stacks_clear(oracle *all, thread_state *thread)
{
	if (has_fault(all, FAULT_THREADS))
		return;
	close_calls(all, thread);
	thread->compilations.count = 0;
	thread->is_waiting = 0;
}

void stacks_end(oracle *all)
{
	for (size_t i = 0; i < all->thread_count; i++)
		close_calls(all, &all->threads[i]);
}

int stacks_adjust(oracle *all, thread_state *thread, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	int tree = section_tree(all);
	frame_stack *stack = &thread->stacks[tree];

	if (stack->count < event->value)
		return 0;
	stack->count = (size_t)event->value;
	for (size_t i = detail->reference_count; i-- > 0;)
		push(all, thread, tree, (uint32_t)(detail->references[i] >> 1), (int)(detail->references[i] & 1),
		     NOT_ENTERED);
	return 1;
}

const open_frame *stacks_top(const thread_state *thread, int *tree)
{
	const frame_stack *stack;

	*tree = thread->stacks[TREE_SECTIONS].count > 0 ? TREE_SECTIONS : TREE_CALLS;
	stack = &thread->stacks[*tree];
	return stack->count > 0 ? &stack->frames[stack->count - 1] : NULL;
}

trace stacks_trace(oracle *all, const thread_state *thread)
{
	trace found = {TREE_CALLS, 0};
	const open_frame *top = stacks_top(thread, &found.tree);

	if (top == NULL)
		return found;
	found.node = top->node;
	show(all, found.tree, found.node);
	return found;
}

void stacks_release(oracle *all)
{
	for (size_t i = 0; i < all->thread_count; i++) {
		for (int tree = 0; tree < TREE_COUNT; tree++)
			free(all->threads[i].stacks[tree].frames);
		free(all->threads[i].compilations.frames);
	}
	free(all->threads);
	for (int tree = 0; tree < TREE_COUNT; tree++)
		facts_release(&all->trees[tree].nodes);
	facts_release(&all->callers);
}
