/* SPDX-License-Identifier: MIT */
/* Translates switches between call stacks for dialects in which a thread has only one stack. */
#include "convert/copy_switches.h"

#include "convert/converter_internal.h"

/*
 * A small log can require a deep stack to be left and entered again at every switch. Real programs stay far below this
 * maximum for a whole log. Beyond it, calls are no longer left and entered at switches.
 */
#define MAX_REPLAYED_CALLS (UINT64_C(1) << 28)

#define REPLAY_BATCH 256

static void release_calls(stack_state *state, const mprof_allocator *allocator)
{
	call_frames_release(&((switched_calls *)state)->calls, allocator, sizeof(uint32_t));
}

void switches_release(mprof_converter *converter)
{
	stack_table_destroy(&converter->stacks, release_calls);
}

/* Leaves all calls of a stack, innermost first, or enters them, outermost first. */
static mprof_status replay_calls(mprof_converter *converter, const call_frames *calls, uint64_t counter,
				 mprof_event_kind kind)
{
	mprof_event events[REPLAY_BATCH];
	const uint32_t *methods = calls->frames;
	mprof_status status = MPROF_OK;

	if (converter->replayed_calls + calls->depth > MAX_REPLAYED_CALLS)
		return MPROF_OK;
	converter->replayed_calls += calls->depth;
	for (size_t done = 0; done < calls->depth && status == MPROF_OK;) {
		size_t count = 0;

		for (; count < REPLAY_BATCH && done < calls->depth; done++, count++)
			events[count] = (mprof_event){
				.kind = (uint8_t)kind,
				.id = methods[kind == MPROF_EVENT_METHOD_ENTER ? done : calls->depth - 1 - done],
				.counter = counter};
		status = mprof_writer_write_events(converter->writer, events, count, NULL);
	}
	return status;
}

static void leave_other_stack(thread_state *thread, uint64_t counter)
{
	if (thread->other == NULL)
		return;
	thread->other->state.thread = 0;
	thread->other->state.left = counter;
	thread->other = NULL;
}

static void remove_from_thread(mprof_converter *converter, const switched_calls *stack, uint64_t counter)
{
	if (stack->state.thread != 0)
		leave_other_stack(&converter->threads[stack->state.thread - 1], counter);
}

/* Moves the thread to another stack; NULL is its own. */
static mprof_status change_stack(mprof_converter *converter, thread_state *thread, switched_calls *next,
				 uint64_t counter)
{
	const uint64_t left = next != NULL ? next->state.left : thread->own_left;
	mprof_status status = replay_calls(converter, thread_calls(thread), counter, MPROF_EVENT_METHOD_LEAVE);

	if (status != MPROF_OK)
		return status;
	if (next != NULL)
		remove_from_thread(converter, next, counter);
	if (thread->other == NULL)
		thread->own_left = counter;
	leave_other_stack(thread, counter);
	thread->other = next;
	if (next != NULL)
		next->state.thread = (uint64_t)(thread - converter->threads) + 1;
	if (stack_table_is_stale(&converter->stacks, left))
		call_frames_clear(thread_calls(thread), CALL_BASE_GAP);
	return replay_calls(converter, thread_calls(thread), counter, MPROF_EVENT_METHOD_ENTER);
}

static mprof_status switch_stack(mprof_converter *converter, thread_state *thread, const mprof_event *event)
{
	switched_calls *next = NULL;

	if (event->value != 0) {
		next = (switched_calls *)stack_table_find(&converter->stacks, event->value);
		if (next == NULL)
			next = (switched_calls *)stack_table_add(&converter->stacks, event->value, event->counter);
		if (next == NULL)
			return MPROF_ERR_MEMORY;
	}
	return next == thread->other ? MPROF_OK : change_stack(converter, thread, next, event->counter);
}

static mprof_status end_stack(mprof_converter *converter, thread_state *thread, const mprof_event *event)
{
	switched_calls *stack = (switched_calls *)stack_table_find(&converter->stacks, event->value);
	mprof_status status = MPROF_OK;

	if (stack == NULL)
		return MPROF_OK;
	if (stack == thread->other)
		status = change_stack(converter, thread, NULL, event->counter);
	else
		remove_from_thread(converter, stack, event->counter);
	call_frames_release(&stack->calls, &converter->allocator, sizeof(uint32_t));
	stack_table_remove(&converter->stacks, &stack->state);
	return status;
}

mprof_status copy_switch(mprof_converter *converter, thread_state *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_STACK_SWITCH:
		return switch_stack(converter, thread, event);
	case MPROF_EVENT_STACK_END:
		return end_stack(converter, thread, event);
	case MPROF_EVENT_RECORDING_RESUMED:
		stack_table_note_gap(&converter->stacks, event->counter - event->value);
		call_frames_clear(thread_calls(thread), CALL_BASE_GAP);
		return MPROF_OK;
	default:
		/* A thread start. */
		if (event->value != thread->thread)
			return MPROF_OK;
		leave_other_stack(thread, event->counter);
		call_frames_clear(&thread->own_calls, CALL_BASE_EMPTY);
		return MPROF_OK;
	}
}
