/* SPDX-License-Identifier: MIT */
/* Follows which methods are open in each thread while events are read (doc/format.md, 4.3 and 4.8). */
#include "reader/open_frames.h"

#include "parser/parser.h"
#include "reader/errors.h"

#include <string.h>

/* The first node that is a frame. */
#define OPEN_FRAMES_FIRST_NODE 4

/* Sets the mark that open_stack_roll_back() returns to. Constant time, independent of the depth. */
static inline void open_stack_set_mark(open_stack *stack)
{
	stack->mark = stack->calls.depth;
	stack->low = stack->calls.depth;
	stack->mark_base = stack->calls.base;
}

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
		open_stack_destroy(&frames->threads[i].initial.stack, allocator);
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
	open_thread *created;
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
	created = &frames->threads[frames->thread_count];
	created->thread = thread;
	/* An old generation marks the state of the thread as outdated. */
	created->generation = frames->generation - 1;
	created->initial.generation = frames->generation - 1;
	call_frames_clear(&created->initial.stack.calls, CALL_BASE_UNKNOWN);
	open_stack_set_mark(&created->initial.stack);
	*index = frames->thread_count++;
	return MPROF_OK;
}

/* Restores the stack to its state at the mark. */
static void open_stack_roll_back(open_stack *stack)
{
	for (; stack->low < stack->mark; stack->low++)
		open_stack_frames(stack)[stack->low] = stack->saved[stack->mark - 1 - stack->low];
	stack->calls.depth = stack->mark;
	stack->calls.base = stack->mark_base;
}

/*
 * Makes room for one frame more than depth, and for one slot after it that may be overwritten without being a frame.
 * Returns MPROF_OK; MPROF_ERR_MEMORY or MPROF_ERR_LIMIT.
 */
static mprof_status open_stack_reserve(open_frames *frames, open_stack *stack, size_t depth)
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

/*
 * Switches of threads between call stacks (doc/format.md, 4.8): tracks the stack that each thread is on, and the state
 * of the others.
 */

static open_slot *slot_at(const open_frames *frames, size_t other)
{
	return other != 0 ? &frames->slots[other - 1] : &frames->threads[frames->current].initial;
}

static mprof_status allocate_slot(open_frames *frames, size_t *other)
{
	void *slots = frames->slots;
	mprof_status status;

	if (frames->free_slot != 0) {
		*other = frames->free_slot;
		frames->free_slot = frames->slots[*other - 1].holder;
		return MPROF_OK;
	}
	status = memory_budget_reserve(frames->budget, &slots, &frames->slot_capacity, frames->slot_count + 1,
				       sizeof(*frames->slots));
	frames->slots = slots;
	if (status != MPROF_OK)
		return status;
	memset(&frames->slots[frames->slot_count++], 0, sizeof(*frames->slots));
	*other = frames->slot_count;
	return MPROF_OK;
}

/* A free slot keeps the memory of its stack for the next use. */
static void release_slot(open_frames *frames, size_t other)
{
	open_slot *slot = &frames->slots[other - 1];
	const open_stack stack = slot->stack;

	memset(slot, 0, sizeof(*slot));
	slot->stack = stack;
	slot->holder = frames->free_slot;
	frames->free_slot = other;
}

/*
 * Finds a stack that is not a thread's own; adds it if missing. other receives its index in slots, plus 1.
 * Returns MPROF_OK; MPROF_ERR_MEMORY or MPROF_ERR_LIMIT.
 */
static mprof_status open_frames_find_slot(open_frames *frames, uint64_t number, size_t *other)
{
	const uint64_t *found = hash_map_get(&frames->by_number, number);
	mprof_status status;
	open_slot *created;

	if (found != NULL) {
		*other = (size_t)*found + 1;
		return MPROF_OK;
	}
	status = allocate_slot(frames, other);
	if (status != MPROF_OK)
		return status;
	status = memory_budget_map_put(frames->budget, &frames->by_number, number, *other - 1);
	if (status != MPROF_OK) {
		release_slot(frames, *other);
		return status;
	}
	created = &frames->slots[*other - 1];
	created->number = number;
	created->holder = 0;
	created->generation = frames->generation - 1;
	call_frames_clear(&created->stack.calls, CALL_BASE_UNKNOWN);
	open_stack_set_mark(&created->stack);
	return MPROF_OK;
}

/* The node of a stack that an indexed block touches. It is usually the next entry of the block's list. */
static uint32_t node_in_list(const open_frames *frames, uint64_t number, size_t guess)
{
	const open_switch *list;

	/* Without any switch in the log there is no array. */
	if (frames->origin.switch_count == 0)
		return CALL_BASE_UNKNOWN;
	list = frames->switches + frames->origin.first_switch;
	if (guess < frames->origin.switch_count && list[guess].number == number)
		return list[guess].node;
	for (size_t i = 0; i < frames->origin.switch_count; i++) {
		if (list[i].number == number)
			return list[i].node;
	}
	return CALL_BASE_UNKNOWN;
}

uint32_t open_frames_end_node(const open_frames *frames, const open_slot *slot)
{
	if (slot->end_node == 0)
		return frames->origin.gaps == 0 ? CALL_BASE_EMPTY : CALL_BASE_UNKNOWN;
	return slot->end_gaps == frames->origin.gaps ? slot->end_node : CALL_BASE_UNKNOWN;
}

/* Sets a stack whose state is outdated to the state at the start of the block, as far as it is known. */
static mprof_status restore_slot(open_frames *frames, open_slot *slot, uint32_t known, uint64_t counter)
{
	uint32_t node = known;

	slot->left_at = counter;
	slot->holder = 0;
	slot->is_ended = 0;
	slot->generation = frames->generation;
	if (node == 0 && frames->origin.source == OPEN_FROM_INDEX)
		node = node_in_list(frames, slot->number, frames->touch_count - 2);
	if (node == 0 && frames->origin.source == OPEN_FROM_END) {
		node = open_frames_end_node(frames, slot);
		if (slot->end_node != 0)
			slot->left_at = slot->end_left;
	}
	if (node == 0)
		node = frames->origin.source == OPEN_FROM_START ? CALL_BASE_EMPTY : CALL_BASE_UNKNOWN;
	return open_frames_restore(frames, &slot->stack, node);
}

/*
 * Records that the block touches a stack, and restores the state of the stack if it is outdated. Has no effect if the
 * block touched it before. \p known: the node of the stack; 0 if it has to be found.
 */
static mprof_status touch_stack(open_frames *frames, size_t other, uint32_t known, uint64_t counter)
{
	open_slot *slot = slot_at(frames, other);
	void *touches = frames->touches;
	mprof_status status;

	if (slot->block == frames->block)
		return MPROF_OK;
	status = memory_budget_reserve(frames->budget, &touches, &frames->touch_capacity, frames->touch_count + 1,
				       sizeof(*frames->touches));
	frames->touches = touches;
	if (status != MPROF_OK) {
		frames->misses_touch = 1;
		return status;
	}
	slot->block = frames->block;
	slot->touch = frames->touch_count;
	frames->touches[frames->touch_count++] = (open_touch){other, slot->generation, slot->left_at, slot->holder, 0};
	if (slot->generation != frames->generation)
		return restore_slot(frames, slot, known, counter);
	open_stack_set_mark(&slot->stack);
	return MPROF_OK;
}

/* For the index: stores the state of a stack that the block has just touched. */
static mprof_status store_touched_node(open_frames *frames, open_slot *slot)
{
	open_touch *record = &frames->touches[slot->touch];
	mprof_status status;

	if (!frames->makes_index || record->node != 0)
		return MPROF_OK;
	status = open_frames_keep(frames, &slot->stack, &record->node);
	if (status != MPROF_OK)
		record->node = CALL_BASE_UNKNOWN;
	return status == MPROF_ERR_MEMORY ? status : MPROF_OK;
}

/* The thread leaves the stack that it is on and is on its own from now on. */
static void leave_other_stack(open_frames *frames, size_t thread, uint64_t counter)
{
	open_thread *leaving = &frames->threads[thread];

	if (leaving->other == 0)
		return;
	frames->slots[leaving->other - 1].holder = 0;
	frames->slots[leaving->other - 1].left_at = counter;
	leaving->other = 0;
}

/* The stack that the thread is on becomes unknown. */
static mprof_status lose_stack(open_frames *frames, mprof_status status, uint64_t counter)
{
	open_thread *thread = &frames->threads[frames->current];

	leave_other_stack(frames, frames->current, counter);
	(void)touch_stack(frames, 0, CALL_BASE_UNKNOWN, counter);
	thread->initial.generation = frames->generation;
	call_frames_clear(&thread->initial.stack.calls, CALL_BASE_UNKNOWN);
	thread->is_lost = 1;
	return status;
}

static int is_stale(const open_frames *frames, uint64_t left_at)
{
	return frames->gap != 0 && (int64_t)(frames->gap - left_at) >= 0;
}

/*
 * The block's thread switches to a stack, or a stack ends. Returns MPROF_OK; MPROF_ERR_MEMORY or MPROF_ERR_LIMIT,
 * and the stack that the thread is on is then unknown.
 */
static mprof_status open_frames_switch(open_frames *frames, uint64_t number, uint64_t counter)
{
	open_thread *thread = &frames->threads[frames->current];
	size_t next = 0;
	mprof_status status = number != 0 ? open_frames_find_slot(frames, number, &next) : MPROF_OK;
	open_slot *slot;

	if (status == MPROF_OK && next == thread->other && !thread->is_lost)
		return MPROF_OK;
	if (status == MPROF_OK)
		status = touch_stack(frames, next, 0, counter);
	if (status != MPROF_OK)
		return lose_stack(frames, status, counter);
	if (thread->is_lost)
		call_frames_clear(&thread->initial.stack.calls, CALL_BASE_UNKNOWN);
	slot = slot_at(frames, next);
	/* Only one thread can be on a stack: the event with which the other thread left it is missing. */
	if (next != 0 && slot->holder != 0)
		leave_other_stack(frames, slot->holder - 1, counter);
	if (is_stale(frames, slot->left_at))
		call_frames_clear(&slot->stack.calls, CALL_BASE_GAP);
	if (thread->other == 0)
		thread->initial.left_at = counter;
	leave_other_stack(frames, frames->current, counter);
	if (slot->is_ended)
		call_frames_clear(&slot->stack.calls, CALL_BASE_EMPTY);
	slot->is_ended = 0;
	thread->other = next;
	thread->is_lost = 0;
	if (next != 0)
		slot->holder = frames->current + 1;
	return store_touched_node(frames, slot);
}

static mprof_status open_frames_end(open_frames *frames, uint64_t number, uint64_t counter)
{
	size_t other = 0;
	mprof_status status = number != 0 ? open_frames_find_slot(frames, number, &other) : MPROF_OK;
	open_slot *slot;

	if (number == 0)
		return MPROF_OK;
	if (status == MPROF_OK)
		status = touch_stack(frames, other, 0, counter);
	if (status == MPROF_OK)
		status = store_touched_node(frames, slot_at(frames, other));
	if (status != MPROF_OK)
		return lose_stack(frames, status, counter);
	slot = slot_at(frames, other);
	if (slot->holder != 0)
		leave_other_stack(frames, slot->holder - 1, slot->left_at);
	call_frames_clear(&slot->stack.calls, CALL_BASE_EMPTY);
	slot->left_at = counter;
	slot->is_ended = 1;
	/* The stack that ended may be the one that the thread was on. */
	if (frames->threads[frames->current].is_lost) {
		call_frames_clear(&frames->threads[frames->current].initial.stack.calls, CALL_BASE_UNKNOWN);
		return MPROF_OK;
	}
	if (frames->threads[frames->current].other == 0)
		status = touch_stack(frames, 0, 0, counter);
	if (status == MPROF_OK && frames->threads[frames->current].other == 0)
		status = store_touched_node(frames, slot_at(frames, 0));
	return status == MPROF_OK ? MPROF_OK : lose_stack(frames, status, counter);
}

/* The block's thread starts: it is on its own stack, which is empty. Returns as open_frames_switch(). */
static mprof_status open_frames_start_thread(open_frames *frames, uint64_t counter)
{
	open_thread *thread = &frames->threads[frames->current];
	mprof_status status = touch_stack(frames, 0, 0, counter);

	if (status == MPROF_OK)
		status = store_touched_node(frames, &thread->initial);
	if (status != MPROF_OK)
		return lose_stack(frames, status, counter);
	leave_other_stack(frames, frames->current, counter);
	call_frames_clear(&thread->initial.stack.calls, CALL_BASE_EMPTY);
	thread->is_lost = 0;
	return MPROF_OK;
}

/* Recording was paused at the counter stopped and has resumed. */
static void open_frames_resume(open_frames *frames, uint64_t stopped)
{
	if (frames->gap == 0 || (int64_t)(stopped - frames->gap) > 0)
		frames->gap = stopped;
}

/* The followed block will not be rolled back, so the slots of the stacks that it ended are released. */
static void commit_block(open_frames *frames)
{
	for (size_t i = 0; i < frames->touch_count; i++) {
		const size_t other = frames->touches[i].other;
		open_slot *slot = other != 0 ? &frames->slots[other - 1] : NULL;

		if (slot == NULL || !slot->is_ended)
			continue;
		slot->is_ended = 0;
		/* The state at the end of the index is needed after a seek. */
		if (slot->end_node != 0)
			continue;
		hash_map_remove(&frames->by_number, slot->number);
		release_slot(frames, other);
	}
	frames->touch_count = 0;
	frames->misses_touch = 0;
	frames->block++;
}

/* Finds the stack that a thread with outdated state is on, and its node if the index contains it. */
static mprof_status find_current_stack(open_frames *frames, open_thread *thread, uint32_t *node)
{
	const open_origin *origin = &frames->origin;
	mprof_status status = MPROF_OK;
	size_t end = thread->end_other;

	thread->other = 0;
	thread->is_lost = origin->source == OPEN_FROM_NOTHING;
	if (origin->source == OPEN_FROM_INDEX) {
		*node = origin->frames != 0 ? origin->frames : CALL_BASE_UNKNOWN;
		thread->is_lost = origin->stack == 0 && *node == CALL_BASE_UNKNOWN;
		if (origin->stack != 0)
			status = open_frames_find_slot(frames, origin->stack, &thread->other);
		return status;
	}
	if (origin->source != OPEN_FROM_END)
		return MPROF_OK;
	if (thread->initial.end_node == 0)
		thread->is_lost = origin->gaps != 0;
	else if (thread->end_gaps != origin->gaps)
		thread->is_lost = 1;
	/* If the slot is current, another thread has switched to the stack meanwhile. */
	else if (end != 0 && frames->slots[end - 1].end_holder == frames->current + 1 &&
		 frames->slots[end - 1].generation != frames->generation)
		thread->other = end;
	if (thread->is_lost)
		*node = CALL_BASE_UNKNOWN;
	return MPROF_OK;
}

/*
 * Begins a block of a thread. The previous block can no longer be rolled back. Returns MPROF_OK; MPROF_ERR_MEMORY or
 * MPROF_ERR_LIMIT, and the stack is then unknown.
 */
static mprof_status open_frames_begin(open_frames *frames, size_t index, const open_origin *origin)
{
	open_thread *thread = &frames->threads[index];
	mprof_status status = MPROF_OK;
	uint32_t node = 0;
	open_slot *slot;

	commit_block(frames);
	frames->current = index;
	frames->origin = *origin;
	if (frames->gap_generation != frames->generation)
		frames->gap = origin->gap;
	frames->gap_generation = frames->generation;
	if (thread->generation != frames->generation)
		status = find_current_stack(frames, thread, &node);
	thread->generation = frames->generation;
	frames->start_gap = frames->gap;
	frames->start_other = thread->other;
	frames->start_is_lost = thread->is_lost;
	if (status == MPROF_OK)
		status = touch_stack(frames, thread->other, node, 0);
	if (status != MPROF_OK)
		return lose_stack(frames, status, 0);
	slot = slot_at(frames, thread->other);
	/* The state to roll back to is that with the thread on its stack, not that before touch_stack(). */
	frames->touches[0].left_at = slot->left_at;
	if (thread->other == 0)
		return MPROF_OK;
	if (slot->holder != 0 && slot->holder != index + 1)
		frames->threads[slot->holder - 1].other = 0;
	slot->holder = index + 1;
	frames->touches[0].holder = slot->holder;
	return MPROF_OK;
}

/*
 * Restores all stacks to their state at the start of the block. Returns 0 if that is not possible; the state of all
 * stacks is then invalidated.
 */
static int open_frames_roll_back(open_frames *frames)
{
	open_thread *thread = &frames->threads[frames->current];

	if (frames->misses_touch) {
		open_frames_forget(frames);
		return 0;
	}
	for (size_t i = 0; i < frames->touch_count; i++) {
		const open_touch *record = &frames->touches[i];
		open_slot *slot = slot_at(frames, record->other);

		open_stack_roll_back(&slot->stack);
		slot->generation = i == 0 ? frames->generation : record->generation;
		slot->left_at = record->left_at;
		slot->holder = record->holder;
		slot->is_ended = 0;
		slot->block = 0;
		if (slot->generation == frames->generation && record->other != 0 && record->holder != 0)
			frames->threads[record->holder - 1].other = record->other;
	}
	frames->touch_count = 0;
	frames->gap = frames->start_gap;
	thread->other = frames->start_other;
	thread->is_lost = frames->start_is_lost;
	return 1;
}

/* Stores the state in which the block left a stack. */
static mprof_status keep_end(open_frames *frames, open_slot *slot, int is_whole, uint32_t gaps)
{
	mprof_status status = MPROF_OK;

	slot->end_node = 0;
	slot->end_left = slot->left_at;
	slot->end_holder = slot->holder;
	slot->end_gaps = gaps;
	if (slot->is_ended)
		return MPROF_OK;
	if (is_whole)
		status = open_frames_keep(frames, &slot->stack, &slot->end_node);
	if (slot->end_node == 0)
		slot->end_node = CALL_BASE_UNKNOWN;
	return status == MPROF_ERR_MEMORY ? status : MPROF_OK;
}

static mprof_status add_switch(open_frames *frames, const open_touch *record)
{
	void *switches = frames->switches;
	mprof_status status = memory_budget_reserve(frames->budget, &switches, &frames->switch_capacity,
						    frames->switch_count + 1, sizeof(*frames->switches));

	frames->switches = switches;
	/* Beyond the memory limit the entry is left out, and the stack is unknown after a seek. */
	if (status != MPROF_OK)
		return status == MPROF_ERR_MEMORY ? status : MPROF_OK;
	frames->switches[frames->switch_count++] = (open_switch){slot_at(frames, record->other)->number, record->node};
	return MPROF_OK;
}

mprof_status open_frames_index_block(open_frames *frames, int is_whole, uint32_t gaps)
{
	open_thread *thread = &frames->threads[frames->current];
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < frames->touch_count && status == MPROF_OK; i++) {
		if (i > 0)
			status = add_switch(frames, &frames->touches[i]);
		if (status == MPROF_OK)
			status = keep_end(frames, slot_at(frames, frames->touches[i].other), is_whole, gaps);
	}
	if (thread->initial.end_node == 0)
		thread->initial.end_node = CALL_BASE_UNKNOWN;
	thread->end_other = thread->other;
	/* If the thread's stack is unknown, a number that never matches marks its end state as invalid. */
	thread->end_gaps = thread->is_lost || !is_whole ? gaps - 1 : gaps;
	frames->end_gap = frames->gap;
	return status;
}

/*
 * Saves the frames of the mark from the top of the stack up to the lowest one already saved, because the next enter
 * would overwrite one of them. They are still in the array, because leaving a frame only decrements the depth. Saving
 * them costs no more than leaving them did.
 */
static mprof_status save_marked_frames(open_frames *frames, open_stack *stack)
{
	void *saved = stack->saved;
	mprof_status status = memory_budget_reserve(frames->budget, &saved, &stack->saved_capacity,
						    stack->mark - stack->calls.depth, sizeof(*stack->saved));

	stack->saved = saved;
	if (status != MPROF_OK)
		return status;
	while (stack->low > stack->calls.depth) {
		stack->low--;
		stack->saved[stack->mark - 1 - stack->low] = open_stack_frames(stack)[stack->low];
	}
	return MPROF_OK;
}

static mprof_status enter_method(open_frames *frames, open_stack *stack, uint32_t method)
{
	mprof_status status;

	call_frames_limit(&stack->calls, CALL_FRAMES_MAX);
	status = open_stack_reserve(frames, stack, stack->calls.depth);
	if (status == MPROF_OK && stack->calls.depth < stack->low)
		status = save_marked_frames(frames, stack);
	if (status != MPROF_OK) {
		call_frames_clear(&stack->calls, CALL_BASE_UNKNOWN);
		return status;
	}
	open_stack_frames(stack)[stack->calls.depth++] = (open_frame){method, 0};
	return MPROF_OK;
}

static mprof_status follow_one(open_frames *frames, open_stack *stack, mprof_event *event, int resolves)
{
	uint32_t method;

	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		return enter_method(frames, stack, event->id);
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		call_frames_leave(&stack->calls, sizeof(open_frame), event->id, &frames->searched);
		break;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		method = call_frames_leave_top(&stack->calls, sizeof(open_frame));
		if (resolves) {
			event->kind = MPROF_EVENT_METHOD_LEAVE;
			event->flags |= MPROF_EVENT_FLAG_IMPLICIT;
			event->id = method;
		}
		break;
	case MPROF_EVENT_THREAD_START:
		if (event->value == frames->threads[frames->current].thread)
			return open_frames_start_thread(frames, event->counter);
		break;
	case MPROF_EVENT_RECORDING_RESUMED:
		call_frames_clear(&stack->calls, CALL_BASE_GAP);
		open_frames_resume(frames, event->counter - event->value);
		break;
	case MPROF_EVENT_STACK_SWITCH:
		return open_frames_switch(frames, event->value, event->counter);
	case MPROF_EVENT_STACK_END:
		return open_frames_end(frames, event->value, event->counter);
	default:
		break;
	}
	return MPROF_OK;
}

/* Less than any depth when it is added to one. */
#define STOPS (PTRDIFF_MIN / 2)

/* What an event adds to the depth of the stack, or STOPS for a kind that changes the stack in another way. */
static const ptrdiff_t depth_steps[UINT8_MAX + 1] = {
	[MPROF_EVENT_METHOD_ENTER] = 1,          [MPROF_EVENT_METHOD_LEAVE_IMPLICIT] = -1,
	[MPROF_EVENT_METHOD_LEAVE] = STOPS,      [MPROF_EVENT_METHOD_LEAVE_EXCEPTION] = STOPS,
	[MPROF_EVENT_METHOD_LEAVE_TAIL] = STOPS, [MPROF_EVENT_THREAD_START] = STOPS,
	[MPROF_EVENT_RECORDING_RESUMED] = STOPS, [MPROF_EVENT_STACK_SWITCH] = STOPS,
	[MPROF_EVENT_STACK_END] = STOPS,
};

_Static_assert(MPROF_EVENT_METHOD_LEAVE_IMPLICIT - 1 == MPROF_EVENT_METHOD_LEAVE, "follow_simple() subtracts 1");

/*
 * Follows enters and implicit leaves up to another event that changes the stack, or one for which there is no room.
 * Whether an event is an enter or a leave is unpredictable, so the loop does not branch on it: the method is always
 * stored in the unused slot above the top, and only an enter makes it a frame. Returns the number of events followed.
 */
static size_t follow_simple(open_stack *stack, mprof_event *events, size_t count)
{
	open_frame *const frames = stack->calls.frames;
	const ptrdiff_t low = (ptrdiff_t)stack->low;
	ptrdiff_t depth = (ptrdiff_t)stack->calls.depth;
	size_t room;
	size_t i;

	/* Frames below the lowest one that may be overwritten are followed one by one. */
	if (depth < low || stack->calls.depth >= stack->calls.capacity)
		return 0;
	/* The last slot is left out, because an event stores to the slot above the top before that becomes a frame. */
	room = stack->calls.capacity - 1 - stack->calls.depth;
	if (count > room)
		count = room;
	for (i = 0; i < count; i++) {
		mprof_event *const event = &events[i];
		const ptrdiff_t next = depth + depth_steps[event->kind];
		const uint8_t is_leave = next < depth;

		if (__builtin_expect(next < low, 0))
			break;
		frames[depth] = (open_frame){event->id, 0};
		/* Of a leave, this is the method of the frame that it ends; of other events, what was just stored. */
		event->id = frames[depth - is_leave].method;
		event->kind = (uint8_t)(event->kind - is_leave);
		event->flags |= (uint16_t)(is_leave * MPROF_EVENT_FLAG_IMPLICIT);
		depth = next;
	}
	stack->calls.depth = (size_t)depth;
	return i;
}

mprof_status open_frames_follow(open_frames *frames, mprof_event *events, size_t count, int resolves)
{
	mprof_status result = MPROF_OK;
	size_t i = 0;

	while (i < count) {
		/* The last event may have switched to another stack. */
		open_stack *stack = &open_frames_slot(frames, frames->current)->stack;
		mprof_status status;

		if (resolves)
			i += follow_simple(stack, events + i, count - i);
		if (i == count)
			break;
		status = follow_one(frames, stack, &events[i++], resolves);
		if (result == MPROF_OK)
			result = status;
	}
	return result;
}

/* Batch size for the events that the caller did not fetch before it went to the next block. */
#define UNFETCHED_BATCH 128

void reader_frames_init(mprof_reader *reader, const mprof_reader_options *options)
{
	open_frames_init(&reader->frames.open, &reader->budget);
	/* No call is open at the start of a log. */
	reader->frames.open.generation = 1;
	reader->frames.keeps_implicit = (int)options->keep_implicit_leaves;
}

void reader_frames_destroy(mprof_reader *reader)
{
	open_frames_destroy(&reader->frames.open);
}

int reader_frames_are_followed(const mprof_reader *reader)
{
	const uint64_t implicit = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE);

	if (!parser_has_content(reader->parser) || parser_block(reader->parser)->kind != MPROF_BLOCK_EVENTS)
		return 0;
	return reader->frames.follows_all ||
	       (!reader->frames.keeps_implicit && (parser_directives_declared(reader->parser) & implicit) != 0);
}

/* Determines where the state of the open calls at the start of the loaded block is known from. */
static open_origin find_origin(const mprof_reader *reader)
{
	const reader_frames *frames = &reader->frames;
	const block_index *index = &reader->index;
	const uint64_t offset = parser_block(reader->parser)->offset;
	const size_t number = offset < index->end ? block_index_find(index, offset) : SIZE_MAX;
	open_origin origin = {.source = OPEN_FROM_NOTHING, .gaps = frames->index_gaps};

	if (number != SIZE_MAX && index->blocks[number].frames != 0) {
		const index_block *block = &index->blocks[number];

		origin.source = OPEN_FROM_INDEX;
		origin.frames = block->frames;
		origin.stack = block->stack;
		origin.gap = block->gap;
		origin.first_switch = number > 0 ? (size_t)block[-1].switch_end : 0;
		origin.switch_count = (size_t)block->switch_end - origin.first_switch;
	} else if (frames->gapless_from == 0) {
		origin.source = OPEN_FROM_START;
	} else if (offset >= index->end && frames->gapless_from <= index->end && !reader->skips_events) {
		origin.source = OPEN_FROM_END;
		origin.gap = frames->open.end_gap;
	}
	return origin;
}

mprof_status reader_frames_begin(mprof_reader *reader)
{
	reader_frames *frames = &reader->frames;
	open_origin origin;
	mprof_status status;
	size_t thread;

	if (frames->is_begun)
		return MPROF_OK;
	status = open_frames_thread(&frames->open, parser_block(reader->parser)->thread, &thread);
	if (status != MPROF_OK)
		return status;
	origin = find_origin(reader);
	frames->is_begun = 1;
	return open_frames_begin(&frames->open, thread, &origin);
}

/* Makes implicit leaves leaves of an unknown method. */
static void leave_unknown_methods(mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (events[i].kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT)
			continue;
		events[i].kind = MPROF_EVENT_METHOD_LEAVE;
		events[i].flags |= MPROF_EVENT_FLAG_IMPLICIT;
	}
}

void reader_frames_attach(mprof_reader *reader, mprof_event *events, size_t count)
{
	reader_frames *frames = &reader->frames;

	if (!reader_frames_are_followed(reader))
		return;
	if (frames->has_passed) {
		if (!frames->keeps_implicit)
			leave_unknown_methods(events, count);
		return;
	}
	reader_note_fault(reader, reader_frames_begin(reader));
	if (frames->is_begun)
		reader_note_fault(reader, open_frames_follow(&frames->open, events, count, !frames->keeps_implicit));
}

void reader_frames_pass(mprof_reader *reader)
{
	if (!reader_frames_are_followed(reader))
		return;
	reader->frames.has_passed = 1;
	reader->frames.has_gap = 1;
	reader->frames.is_done = 1;
}

void reader_frames_rewind(mprof_reader *reader)
{
	reader_frames *frames = &reader->frames;

	if (frames->is_begun && !open_frames_roll_back(&frames->open))
		frames->gapless_from = parser_block(reader->parser)->offset;
	frames->is_begun = 0;
	frames->is_done = 0;
	frames->has_passed = 0;
}

void reader_frames_leave(mprof_reader *reader)
{
	reader_frames *frames = &reader->frames;
	mprof_event events[UNFETCHED_BATCH];
	mprof_status status;
	size_t count;

	/*
	 * The thread's next block continues from the last event of this one, so the events that were not fetched are
	 * followed, too.
	 */
	if (!frames->is_done && reader_frames_are_followed(reader)) {
		while ((status = mprof_parser_next_events(reader->parser, events, UNFETCHED_BATCH, &count)) == MPROF_OK)
			reader_frames_attach(reader, events, count);
		frames->has_gap |= status != MPROF_END;
	}
	if (frames->has_gap)
		reader_frames_forget(reader, parser_block(reader->parser)->offset + 1);
	frames->has_gap = 0;
	frames->is_begun = 0;
	frames->is_done = 0;
	frames->has_passed = 0;
}

void reader_frames_forget(mprof_reader *reader, uint64_t offset)
{
	reader_frames *frames = &reader->frames;

	open_frames_forget(&frames->open);
	frames->gapless_from = offset;
	frames->has_gap = 0;
	frames->is_begun = 0;
	frames->is_done = 0;
	frames->has_passed = 0;
}
