/* SPDX-License-Identifier: MIT */
/*
 * Follows the calls of threads by the rules of doc/format.md, 4.3 and 4.8, as the profile does, so that the sums over
 * the calls that a sink receives are the figures of mprof report: tests/exports/test_random_calls.sh compares them.
 */
#include "export/walk_calls.h"

#include <stdlib.h>
#include <string.h>

/* The limits of doc/format.md, 4.3: frames of a stack, and frames that failed searches visit. */
#define MAX_FRAMES ((size_t)1 << 20)
#define MAX_SEARCHED (UINT64_C(1) << 28)

/* An entry of event_walk::stacks. */
typedef struct stack_entry {
	uint64_t number;
	walk_stack *stack;
} stack_entry;

static uint64_t clamp(const event_walk *walk, uint64_t counter)
{
	if (!walk->is_bounded)
		return counter;
	return counter < walk->window_start ? walk->window_start
	       : counter > walk->window_end ? walk->window_end
					    : counter;
}

static int is_too_deep(const event_walk *walk, size_t index)
{
	return walk->sink->max_open != 0 && index >= walk->sink->max_open;
}

/* Passes the beginnings of frames up to an index to the sink. It has always received the outermost ones. */
static void pass_enters(const event_walk *walk, const walk_thread *thread, walk_stack *stack, size_t end)
{
	if (end > WALK_MAX_DEPTH)
		end = WALK_MAX_DEPTH;
	if (is_too_deep(walk, end))
		end = walk->sink->max_open;
	for (; stack->passed < end; stack->passed++) {
		const walk_frame *frame = &stack->frames[stack->passed];

		walk->sink->enter(walk->user, thread, frame->method, frame->start, (int)frame->is_resumed);
	}
}

/* Ends the innermost frame that is shown, whose index is \p index. A call that is too short is not passed on. */
static void end_frame(event_walk *walk, const walk_thread *thread, walk_stack *stack, size_t index)
{
	const walk_frame *frame = &stack->frames[index];

	const int is_long = thread->time - frame->start >= walk->job->min_duration_ns;

	if (stack->passed <= index && is_long)
		pass_enters(walk, thread, stack, index + 1);
	if (index >= WALK_MAX_DEPTH)
		return;
	if (stack->passed <= index) {
		if (is_long && is_too_deep(walk, index))
			walk->deep_calls += !frame->is_resumed;
		else
			walk->short_calls += !frame->is_resumed;
		return;
	}
	walk->sink->leave(walk->user, thread, frame->method, thread->time);
	stack->passed = index;
}

/* Ends all frames for the sink, and keeps them on the stack. */
static void hide_frames(event_walk *walk, const walk_thread *thread)
{
	walk_stack *stack = thread->stack;

	for (size_t i = stack->count; thread->is_shown && i > 0; i--)
		end_frame(walk, thread, stack, i - 1);
}

/* Continues the frames of a stack. */
static void show_frames(event_walk *walk, const walk_thread *thread)
{
	walk_stack *stack = thread->stack;

	if (!thread->is_shown)
		return;
	for (size_t i = 0; i < stack->count; i++) {
		stack->frames[i].is_resumed = 1;
		stack->frames[i].start = thread->time;
	}
	if (walk->job->min_duration_ns == 0)
		pass_enters(walk, thread, stack, stack->count);
}

/* Notes that the time window begins, ends, or both, when the counter of a thread has gone on from \p former. */
static void cross_window(event_walk *walk, walk_thread *thread, uint64_t former)
{
	if (!thread->is_shown && !thread->is_over && thread->counter >= walk->window_start) {
		thread->is_shown = 1;
		thread->time = walk_time(walk, clamp(walk, former));
		show_frames(walk, thread);
	}
	thread->time = walk_time(walk, clamp(walk, thread->counter));
	if (thread->is_shown && thread->counter >= walk->window_end) {
		hide_frames(walk, thread);
		thread->is_shown = 0;
		thread->is_over = 1;
	}
}

static inline void pass_time(event_walk *walk, walk_thread *thread, uint64_t counter)
{
	uint64_t former = thread->counter;

	if ((int64_t)(counter - former) > 0)
		thread->counter = counter;
	if (walk->is_bounded)
		cross_window(walk, thread, former);
	else if (thread->counter != former)
		thread->time = walk_time(walk, thread->counter);
}

void walk_begin_row(event_walk *walk, walk_thread *thread, uint64_t counter)
{
	if (thread->row != NULL)
		hide_frames(walk, thread);
	thread->counter = counter;
	thread->has_counter = 1;
	thread->time = walk_time(walk, clamp(walk, counter));
	thread->row_number = ++walk->row_count;
	thread->is_over = 0;
	thread->is_shown = !walk->is_bounded;
	thread->row = walk->sink->begin_row(walk->user, thread);
	if (thread->row == NULL) {
		walk->has_failed = 1;
		return;
	}
	show_frames(walk, thread);
}

void walk_finish_thread(event_walk *walk, walk_thread *thread)
{
	const int is_over = thread->is_reported && (int64_t)(thread->reported_end - thread->counter) >= 0;

	if (thread->stack->count > 0 && !thread->has_ended)
		pass_time(walk, thread, is_over ? thread->reported_end : walk->end);
	hide_frames(walk, thread);
}

static int reserve_frame(walk_stack *stack)
{
	size_t capacity = 2 * stack->capacity + 64;
	walk_frame *frames;

	if (stack->count < stack->capacity)
		return 1;
	frames = realloc(stack->frames, capacity * sizeof(*frames));
	if (frames == NULL)
		return 0;
	stack->frames = frames;
	stack->capacity = capacity;
	return 1;
}

static void enter(event_walk *walk, const walk_thread *thread, uint32_t method)
{
	walk_stack *stack = thread->stack;
	walk_frame *frame;

	walk->folded_calls += stack->count >= WALK_MAX_DEPTH;
	if (stack->count + 1 >= MAX_FRAMES) {
		stack->folded++;
		return;
	}
	if (!reserve_frame(stack)) {
		walk->has_failed = 1;
		return;
	}
	frame = &stack->frames[stack->count++];
	frame->method = method;
	frame->is_resumed = 0;
	frame->start = thread->time;
	if (thread->is_shown && walk->job->min_duration_ns == 0)
		pass_enters(walk, thread, stack, stack->count);
}

static void leave_top(event_walk *walk, const walk_thread *thread)
{
	walk_stack *stack = thread->stack;

	if (stack->folded > 0) {
		stack->folded--;
		return;
	}
	if (stack->count == 0)
		return;
	if (thread->is_shown)
		end_frame(walk, thread, stack, stack->count - 1);
	stack->count--;
}

static void clear_stack(event_walk *walk, const walk_thread *thread)
{
	thread->stack->folded = 0;
	while (thread->stack->count > 0)
		leave_top(walk, thread);
}

static void leave(event_walk *walk, const walk_thread *thread, uint32_t method)
{
	const walk_stack *stack = thread->stack;
	size_t found = stack->count;

	/* The methods of the innermost frames are not stored: each leave ends one of them. */
	if (stack->folded > 0) {
		leave_top(walk, thread);
		return;
	}
	while (found > 0 && stack->frames[found - 1].method != method)
		found--;
	while (found > 0 && stack->count >= found)
		leave_top(walk, thread);
	if (found > 0)
		return;
	walk->searched += stack->count;
	if (walk->searched > MAX_SEARCHED)
		clear_stack(walk, thread);
}

/* The thread is on another stack from now on. */
static void set_stack(event_walk *walk, walk_thread *thread, walk_stack *stack, uint64_t counter)
{
	hide_frames(walk, thread);
	thread->stack->left = counter;
	thread->stack->thread = NULL;
	thread->stack = stack;
}

/* Without an event of its own: another thread has switched to the stack, or it ends, or the thread starts. */
static void return_to_own_stack(event_walk *walk, walk_thread *thread, uint64_t counter)
{
	if (thread->stack == &thread->own)
		return;
	set_stack(walk, thread, &thread->own, counter);
	show_frames(walk, thread);
}

static walk_stack *get_stack(event_walk *walk, const walk_thread *thread, uint64_t number)
{
	stack_entry *entry = key_map_put(&walk->stacks, number);

	if (entry == NULL)
		return NULL;
	if (entry->stack == NULL) {
		entry->stack = calloc(1, sizeof(*entry->stack));
		if (entry->stack != NULL)
			entry->stack->left = thread->counter;
	}
	return entry->stack;
}

static void switch_stack(event_walk *walk, walk_thread *thread, uint64_t number)
{
	walk_stack *stack = number != 0 ? get_stack(walk, thread, number) : &thread->own;

	if (stack == NULL) {
		walk->has_failed = 1;
		return;
	}
	if (stack == thread->stack)
		return;
	/* A stack is on one thread at a time: the event of leaving the other thread is missing. */
	if (stack->thread != NULL)
		return_to_own_stack(walk, stack->thread, thread->counter);
	set_stack(walk, thread, stack, thread->counter);
	if (number != 0)
		stack->thread = thread;
	if (walk->has_gap && (int64_t)(walk->gap - stack->left) >= 0) {
		stack->count = 0;
		stack->folded = 0;
		stack->passed = 0;
	}
	show_frames(walk, thread);
}

static void end_stack(event_walk *walk, uint64_t number)
{
	stack_entry *entry = key_map_find(&walk->stacks, number);

	if (entry == NULL || entry->stack == NULL)
		return;
	if (entry->stack->thread != NULL)
		return_to_own_stack(walk, entry->stack->thread, entry->stack->left);
	free(entry->stack->frames);
	free(entry->stack);
	key_map_remove(&walk->stacks, number);
}

void walk_release_stacks(event_walk *walk)
{
	for (size_t i = 0; walk->stacks.capacity > 0 && i <= walk->stacks.capacity; i++) {
		const stack_entry *entry = key_map_slot(&walk->stacks, i);

		if (entry != NULL && entry->stack != NULL) {
			free(entry->stack->frames);
			free(entry->stack);
		}
	}
	key_map_clear(&walk->stacks);
}

/* Recording was stopped for a while: calls end when it was, and the time until it resumed belongs to no call. */
static void end_suspension(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	uint64_t stopped = event->counter - event->value;

	pass_time(walk, thread, stopped);
	clear_stack(walk, thread);
	if (!walk->has_gap || (int64_t)(stopped - walk->gap) > 0)
		walk->gap = stopped;
	walk->has_gap = 1;
	pass_time(walk, thread, event->counter);
}

static void start(event_walk *walk, walk_thread *thread)
{
	return_to_own_stack(walk, thread, thread->counter);
	clear_stack(walk, thread);
}

/*
 * A thread that starts is on its own stack, which is empty. One that ends may still return from calls (doc/format.md,
 * 4.3). Events about other threads do not count.
 */
static void note_life(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	if (event->value != thread->id)
		return;
	thread->has_ended = event->kind == MPROF_EVENT_THREAD_END;
	if (thread->has_ended)
		return;
	start(walk, thread);
}

static void add_rare(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_STACK_SWITCH:
		switch_stack(walk, thread, event->value);
		return;
	case MPROF_EVENT_STACK_END:
		end_stack(walk, event->value);
		return;
	case MPROF_EVENT_THREAD_START:
	case MPROF_EVENT_THREAD_END:
		note_life(walk, thread, event);
		break;
	default:
		break;
	}
	if (thread->is_shown && walk->sink->event != NULL)
		walk->sink->event(walk->user, thread, event);
}

void walk_add_event(event_walk *walk, walk_thread *thread, const mprof_event *event)
{
	if (thread->row == NULL)
		return;
	if (event->kind == MPROF_EVENT_RECORDING_RESUMED) {
		end_suspension(walk, thread, event);
		return;
	}
	/* The ID of a thread that has ended is used again: the time since then is not that of its calls. */
	if (thread->has_ended && event->kind == MPROF_EVENT_THREAD_START && event->value == thread->id)
		start(walk, thread);
	pass_time(walk, thread, event->counter);
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		enter(walk, thread, event->id);
		return;
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		leave(walk, thread, event->id);
		return;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		leave_top(walk, thread);
		return;
	default:
		add_rare(walk, thread, event);
	}
}
