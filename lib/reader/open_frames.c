/* SPDX-License-Identifier: MIT */
#include "reader/open_frames.h"

#include <string.h>

/* A deeper stack becomes unknown, so that the memory for a log that consists only of enters is bounded. */
#define MOST_FRAMES ((size_t)1 << 20)

/* Bounds the time for a log that was crafted to be slow, with leaves of methods that are not open on deep stacks. */
#define MOST_FAILED_LEAVE_STEPS (UINT64_C(1) << 28)

void open_frames_init(open_frames *frames, memory_budget *budget)
{
	memset(frames, 0, sizeof(*frames));
	frames->budget = budget;
	hash_map_init(&frames->by_thread, &budget->allocator);
	hash_map_init(&frames->by_step, &budget->allocator);
	hash_map_init(&frames->by_number, &budget->allocator);
}

void open_stack_destroy(open_stack *stack, const mprof_allocator *allocator)
{
	allocator_release(allocator, stack->frames, stack->capacity * sizeof(*stack->frames));
	allocator_release(allocator, stack->saved, stack->saved_capacity * sizeof(*stack->saved));
}

void open_frames_destroy(open_frames *frames)
{
	const mprof_allocator *allocator = &frames->by_thread.allocator;

	for (size_t i = 0; i < frames->thread_count; i++)
		open_stack_destroy(&frames->threads[i].own.stack, allocator);
	for (size_t i = 0; i < frames->slot_count; i++)
		open_stack_destroy(&frames->slots[i].stack, allocator);
	allocator_release(allocator, frames->threads, frames->thread_capacity * sizeof(*frames->threads));
	allocator_release(allocator, frames->nodes, frames->node_capacity * sizeof(*frames->nodes));
	hash_map_destroy(&frames->by_thread);
	allocator_release(allocator, frames->slots, frames->slot_capacity * sizeof(*frames->slots));
	allocator_release(allocator, frames->touches, frames->touch_capacity * sizeof(*frames->touches));
	allocator_release(allocator, frames->switches, frames->switch_capacity * sizeof(*frames->switches));
	hash_map_destroy(&frames->by_step);
	hash_map_destroy(&frames->by_number);
}

mprof_status open_frames_thread(open_frames *frames, uint64_t thread, size_t *place)
{
	const uint64_t *found = hash_map_get(&frames->by_thread, thread);
	void *threads = frames->threads;
	open_thread *made;
	mprof_status status;

	if (found != NULL) {
		*place = (size_t)*found;
		return MPROF_OK;
	}
	status = memory_budget_reserve(frames->budget, &threads, &frames->thread_capacity, frames->thread_count + 1,
				       sizeof(*frames->threads));
	frames->threads = threads;
	if (status == MPROF_OK)
		status = memory_budget_map_put(frames->budget, &frames->by_thread, thread, frames->thread_count);
	if (status != MPROF_OK)
		return status;
	made = &frames->threads[frames->thread_count];
	memset(made, 0, sizeof(*made));
	made->thread = thread;
	/* An old generation marks its state as unknown. */
	made->generation = frames->generation - 1;
	made->own.generation = frames->generation - 1;
	open_stack_clear(&made->own.stack, OPEN_BASE_UNKNOWN);
	open_stack_set_mark(&made->own.stack);
	*place = frames->thread_count++;
	return MPROF_OK;
}

void open_stack_clear(open_stack *stack, open_base base)
{
	stack->depth = 0;
	stack->base = base;
}

void open_stack_roll_back(open_stack *stack)
{
	for (; stack->low < stack->mark; stack->low++)
		stack->frames[stack->low] = stack->saved[stack->mark - 1 - stack->low];
	stack->depth = stack->mark;
	stack->base = stack->mark_base;
}

/*
 * Saves the frames of the mark that the next enter would overwrite. They are still in the array, because leaving a
 * frame only decrements the depth. Saving them costs no more than leaving them did.
 */
static mprof_status save_marked_frames(open_frames *frames, open_stack *stack)
{
	void *saved = stack->saved;
	mprof_status status = memory_budget_reserve(frames->budget, &saved, &stack->saved_capacity,
						    stack->mark - stack->depth, sizeof(*stack->saved));

	stack->saved = saved;
	if (status != MPROF_OK)
		return status;
	while (stack->low > stack->depth) {
		stack->low--;
		stack->saved[stack->mark - 1 - stack->low] = stack->frames[stack->low];
	}
	return MPROF_OK;
}

/*
 * Makes room for one frame more than \p depth, and for one slot after it that may be overwritten without being a frame.
 */
static mprof_status make_room(open_frames *frames, open_stack *stack, size_t depth)
{
	void *grown = stack->frames;
	mprof_status status =
		memory_budget_reserve(frames->budget, &grown, &stack->capacity, depth + 2, sizeof(*stack->frames));

	stack->frames = grown;
	return status;
}

static mprof_status enter_method(open_frames *frames, open_stack *stack, uint32_t method)
{
	mprof_status status;

	if (stack->depth >= MOST_FRAMES) {
		open_stack_clear(stack, OPEN_BASE_UNKNOWN);
		return MPROF_OK;
	}
	status = make_room(frames, stack, stack->depth);
	if (status == MPROF_OK && stack->depth < stack->low)
		status = save_marked_frames(frames, stack);
	if (status != MPROF_OK) {
		open_stack_clear(stack, OPEN_BASE_UNKNOWN);
		return status;
	}
	stack->frames[stack->depth++] = (open_frame){method, 0};
	return MPROF_OK;
}

/* A leave with a method also ends the frames above that method. */
static void leave_method(open_frames *frames, open_stack *stack, uint32_t method)
{
	for (size_t depth = stack->depth; depth > 0; depth--) {
		if (stack->frames[depth - 1].method == method) {
			stack->depth = depth - 1;
			return;
		}
	}
	frames->failed_leave_steps += stack->depth;
	/* The method may be one of the unknown frames, and then all frames above it have ended. */
	if (stack->base == OPEN_BASE_UNKNOWN || frames->failed_leave_steps > MOST_FAILED_LEAVE_STEPS)
		open_stack_clear(stack, OPEN_BASE_UNKNOWN);
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
		leave_method(frames, stack, event->id);
		break;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		method = stack->depth > 0 ? stack->frames[--stack->depth].method : 0;
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
		open_stack_clear(stack, OPEN_BASE_GAP);
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

#define KIND_BIT(kind) (UINT64_C(1) << (kind))

/* Events other than enters and implicit leaves that change the stack. */
#define RARE_KINDS                                                                                                     \
	(KIND_BIT(MPROF_EVENT_METHOD_LEAVE) | KIND_BIT(MPROF_EVENT_METHOD_LEAVE_EXCEPTION) |                           \
	 KIND_BIT(MPROF_EVENT_METHOD_LEAVE_TAIL) | KIND_BIT(MPROF_EVENT_THREAD_START) |                                \
	 KIND_BIT(MPROF_EVENT_RECORDING_RESUMED) | KIND_BIT(MPROF_EVENT_STACK_SWITCH) |                                \
	 KIND_BIT(MPROF_EVENT_STACK_END))

static inline int is_rare(uint32_t kind)
{
	return (RARE_KINDS >> (kind & 63) & 1) != 0 && kind < 64;
}

/*
 * Follows enters and implicit leaves up to another event that changes the stack, or one for which there is no room.
 * Which of the two an event is, is unpredictable, so the loop does not branch on it: the method is always stored in the
 * unused slot above the top, and only an enter makes it a frame. Returns the number of events followed.
 */
static size_t follow_simple(open_stack *stack, mprof_event *events, size_t count)
{
	open_frame *const frames = stack->frames;
	const size_t low = stack->low;
	/*
	 * Slots that may be overwritten. The last one of the array is left out, because the slot after a frame is read.
	 */
	const size_t room = stack->capacity > low ? stack->capacity - low - 1 : 0;
	size_t depth = stack->depth;
	size_t i;

	for (i = 0; i < count; i++) {
		mprof_event *const event = &events[i];
		const uint32_t kind = event->kind;
		const uint32_t is_leave = kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		uint32_t method;

		if (__builtin_expect(depth - low >= room || (is_leave && depth == 0) || is_rare(kind), 0))
			break;
		frames[depth] = (open_frame){event->id, 0};
		depth += (kind == MPROF_EVENT_METHOD_ENTER);
		depth -= is_leave;
		method = frames[depth].method;
		event->id = is_leave ? method : event->id;
		event->kind = (uint8_t)(is_leave ? MPROF_EVENT_METHOD_LEAVE : kind);
		event->flags |= (uint8_t)(is_leave * MPROF_EVENT_FLAG_IMPLICIT);
	}
	stack->depth = depth;
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

/* Adds the nodes of the #open_base values. */
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

/* Sets *node to the node of a method on top of another node; adds it if there is none. */
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

mprof_status open_frames_add_node(open_frames *frames, uint32_t parent, uint32_t method)
{
	mprof_status status = frames->node_count == 0 ? add_base_nodes(frames) : MPROF_OK;
	const size_t count = frames->node_count;
	uint32_t node = 0;

	if (status == MPROF_OK && (parent == 0 || parent >= count))
		return MPROF_ERR_MALFORMED;
	if (status == MPROF_OK)
		status = add_node(frames, parent, method, &node);
	return status == MPROF_OK && node != count ? MPROF_ERR_MALFORMED : status;
}

mprof_status open_frames_keep(open_frames *frames, open_stack *stack, uint32_t *node)
{
	mprof_status status = frames->node_count == 0 ? add_base_nodes(frames) : MPROF_OK;
	size_t known = stack->depth;

	while (known > 0 && stack->frames[known - 1].node == 0)
		known--;
	*node = known > 0 ? stack->frames[known - 1].node : stack->base;
	for (; known < stack->depth && status == MPROF_OK; known++) {
		status = add_node(frames, *node, stack->frames[known].method, node);
		stack->frames[known].node = status == MPROF_OK ? *node : 0;
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
	open_stack_clear(stack, OPEN_BASE_UNKNOWN);
	open_stack_set_mark(stack);
	status = make_room(frames, stack, depth);
	if (status != MPROF_OK)
		return status;
	stack->depth = depth;
	for (; node >= OPEN_FRAMES_FIRST_NODE; node = frames->nodes[node].parent)
		stack->frames[--depth] = (open_frame){frames->nodes[node].method, node};
	stack->base = node;
	open_stack_set_mark(stack);
	return MPROF_OK;
}
