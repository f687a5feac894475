/* SPDX-License-Identifier: MIT */
/* Follows calls: enters, leaves and switches, event by event. */
#include "reader/open_follow.h"

#include "reader/open_switches.h"

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
		event->flags |= (uint8_t)(is_leave * MPROF_EVENT_FLAG_IMPLICIT);
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
