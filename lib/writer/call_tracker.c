/* SPDX-License-Identifier: MIT */
/* Follows the open methods of each thread through the events that are written. */
#include "writer/call_tracker.h"

#include "base/array.h"

#include <string.h>

/* A stack that would become deeper becomes unknown, which bounds the memory. */
#define MAX_DEPTH ((size_t)1 << 16)

/* Bounds the time for leaves of methods that are not open on deep stacks. Readers stop at the same number or later. */
#define MAX_FAILED_STEPS (UINT64_C(1) << 26)

void call_tracker_init(call_tracker *tracker, const mprof_allocator *allocator)
{
	memset(tracker, 0, sizeof(*tracker));
	thread_map_init(&tracker->by_thread, allocator);
}

void call_tracker_destroy(call_tracker *tracker)
{
	const mprof_allocator *allocator = thread_map_allocator(&tracker->by_thread);

	for (size_t i = 0; i < tracker->count; i++)
		allocator_release(allocator, tracker->threads[i].methods,
				  tracker->threads[i].capacity * sizeof(*tracker->threads[i].methods));
	allocator_release(allocator, tracker->threads, tracker->capacity * sizeof(*tracker->threads));
	thread_map_destroy(&tracker->by_thread);
}

int call_tracker_begin(call_tracker *tracker, uint64_t thread, uint64_t base_counter)
{
	size_t position = thread_map_find(&tracker->by_thread, thread);
	void *threads = tracker->threads;

	if (position == THREAD_MAP_NONE) {
		const int is_added = thread_map_add(&tracker->by_thread, thread, &threads, &tracker->capacity,
						    tracker->count, sizeof(*tracker->threads));

		tracker->threads = threads;
		if (!is_added)
			return 0;
		position = tracker->count++;
	}
	tracker->current = position;
	tracker->thread = thread;
	tracker->base = base_counter;
	tracker->latest = base_counter;
	return 1;
}

int call_tracker_reserve(call_tracker *tracker, size_t count)
{
	tracked_thread *thread = &tracker->threads[tracker->current];
	const size_t room = MAX_DEPTH - thread->depth;
	void *methods = thread->methods;
	int has_room;

	if (tracker->is_off || thread->is_unknown)
		return 1;
	has_room = array_reserve(thread_map_allocator(&tracker->by_thread), &methods, &thread->capacity,
				 thread->depth + (count < room ? count : room), sizeof(*thread->methods));
	thread->methods = methods;
	return has_room;
}

static void set_depth(tracked_thread *thread, size_t depth)
{
	thread->depth = depth;
	if (depth < thread->low)
		thread->low = depth;
}

static void enter_method(tracked_thread *thread, uint32_t method)
{
	if (thread->is_unknown)
		return;
	if (thread->depth >= MAX_DEPTH) {
		thread->is_unknown = 1;
		set_depth(thread, 0);
		return;
	}
	thread->methods[thread->depth++] = method;
}

/* A leave with a method also ends the frames above that method; if it is not open, nothing changes. */
static void leave_method(call_tracker *tracker, tracked_thread *thread, uint32_t method)
{
	for (size_t depth = thread->depth; depth > 0; depth--) {
		if (thread->methods[depth - 1] == method) {
			set_depth(thread, depth - 1);
			return;
		}
	}
	tracker->failed_steps += thread->depth;
	if (tracker->failed_steps > MAX_FAILED_STEPS)
		tracker->is_off = 1;
}

static void follow_event(call_tracker *tracker, tracked_thread *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		enter_method(thread, event->id);
		break;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		if (thread->depth > 0)
			set_depth(thread, thread->depth - 1);
		break;
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		leave_method(tracker, thread, event->id);
		break;
	case MPROF_EVENT_THREAD_START:
		/* Another thread may have recorded the event. */
		if (event->value != tracker->thread)
			break;
		set_depth(thread, 0);
		thread->is_unknown = 0;
		break;
	case MPROF_EVENT_RECORDING_RESUMED:
	case MPROF_EVENT_STACK_SWITCH:
	case MPROF_EVENT_STACK_END:
		tracker->is_off = 1;
		break;
	default:
		break;
	}
}

void call_tracker_follow(call_tracker *tracker, const mprof_event *events, size_t count)
{
	tracked_thread *thread = &tracker->threads[tracker->current];

	for (size_t i = 0; i < count; i++) {
		/* Most allocations are stored without their time; readers give them that of the event before. */
		if (events[i].kind != MPROF_EVENT_ALLOCATION)
			call_tracker_note_counter(tracker, events[i].counter);
		if (!tracker->is_off)
			follow_event(tracker, thread, &events[i]);
	}
}

int call_tracker_describe(call_tracker *tracker, index_item *item, encode_buffer *methods)
{
	tracked_thread *thread = &tracker->threads[tracker->current];

	encode_buffer_clear(methods);
	item->has_stack = !tracker->is_off && !thread->is_unknown && thread->depth <= INDEX_MAX_FRAMES;
	if (!item->has_stack)
		return 1;
	item->depth = (uint32_t)thread->depth;
	item->shared = (uint32_t)thread->low;
	for (size_t i = thread->low; i < thread->depth; i++)
		encode_varint(methods, thread->methods[i]);
	thread->low = thread->depth;
	return methods->status == MPROF_OK;
}

/* Another owner of the thread ID starts with an empty stack, but readers do not know that. */
static void change_owner(tracked_thread *thread, uint64_t owner)
{
	if (thread->has_owner && thread->owner == owner)
		return;
	thread->has_leftover = thread->has_owner && (thread->has_leftover || !thread->is_empty);
	thread->has_owner = 1;
	thread->owner = owner;
	thread->failed_steps = 0;
}

void call_tracker_adopt(call_tracker *tracker, const block_calls *calls)
{
	tracked_thread *thread = &tracker->threads[tracker->current];
	void *methods = thread->methods;
	size_t shared = 0;

	change_owner(thread, calls->owner);
	thread->is_unknown = !calls->is_known || thread->has_leftover;
	if (thread->is_unknown || tracker->is_off)
		return;
	if (!array_reserve(thread_map_allocator(&tracker->by_thread), &methods, &thread->capacity, calls->depth,
			   sizeof(*thread->methods)))
		thread->is_unknown = 1;
	thread->methods = methods;
	if (thread->is_unknown)
		return;
	/* The methods are those of the last entry: none are followed. */
	while (shared < thread->low && shared < calls->depth && thread->methods[shared] == calls->methods[shared])
		shared++;
	for (size_t i = shared; i < calls->depth; i++)
		thread->methods[i] = calls->methods[i];
	thread->depth = calls->depth;
	thread->low = shared;
}

void call_tracker_leave(call_tracker *tracker, const block_calls *calls)
{
	tracked_thread *thread = &tracker->threads[tracker->current];

	if (calls->begins_thread)
		thread->has_leftover = 0;
	thread->is_empty = calls->is_empty_after;
	tracker->failed_steps += calls->failed_steps - thread->failed_steps;
	thread->failed_steps = calls->failed_steps;
	if (calls->ends_all || tracker->failed_steps > MAX_FAILED_STEPS)
		tracker->is_off = 1;
}

/* The methods of blocks that are followed elsewhere are needed only to find the shared ones. */
static void forget_methods(call_tracker *tracker, tracked_thread *thread)
{
	allocator_release(thread_map_allocator(&tracker->by_thread), thread->methods,
			  thread->capacity * sizeof(*thread->methods));
	thread->methods = NULL;
	thread->capacity = 0;
	thread->depth = 0;
}

void call_tracker_restart(call_tracker *tracker)
{
	for (size_t i = 0; i < tracker->count; i++) {
		tracker->threads[i].low = 0;
		if (tracker->threads[i].has_owner)
			forget_methods(tracker, &tracker->threads[i]);
	}
}

void call_tracker_stop(call_tracker *tracker)
{
	tracker->is_off = 1;
}
