/* SPDX-License-Identifier: MIT */
/* Follows the open methods of each thread through the events that are written. */
#include "writer/call_tracker.h"

#include <string.h>

/* The stacks have only methods. */
#define FRAME_SIZE sizeof(uint32_t)

void call_tracker_init(call_tracker *tracker, const mprof_allocator *allocator)
{
	memset(tracker, 0, sizeof(*tracker));
	thread_map_init(&tracker->by_thread, allocator);
}

void call_tracker_destroy(call_tracker *tracker)
{
	const mprof_allocator *allocator = thread_map_allocator(&tracker->by_thread);

	for (size_t i = 0; i < tracker->count; i++)
		call_frames_release(&tracker->threads[i].calls, allocator, FRAME_SIZE);
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
	return tracker->is_off ||
	       call_frames_reserve(&tracker->threads[tracker->current].calls, thread_map_allocator(&tracker->by_thread),
				   FRAME_SIZE, count, CALL_FRAMES_MAX);
}

/* There is room for the frame, unless the stack has the maximum and is cleared. */
static void enter_method(tracked_thread *thread, uint32_t method)
{
	call_frames_limit(&thread->calls, CALL_FRAMES_MAX);
	((uint32_t *)thread->calls.frames)[thread->calls.depth++] = method;
}

static void note_depth(tracked_thread *thread)
{
	if (thread->calls.depth < thread->low)
		thread->low = thread->calls.depth;
}

static void follow_event(call_tracker *tracker, tracked_thread *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		enter_method(thread, event->id);
		break;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		(void)call_frames_leave_top(&thread->calls, FRAME_SIZE);
		break;
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		call_frames_leave(&thread->calls, FRAME_SIZE, event->id, &tracker->searched);
		break;
	case MPROF_EVENT_THREAD_START:
		/* Another thread may have recorded the event. */
		if (event->value == tracker->thread)
			call_frames_clear(&thread->calls, CALL_BASE_EMPTY);
		break;
	case MPROF_EVENT_RECORDING_RESUMED:
	case MPROF_EVENT_STACK_SWITCH:
	case MPROF_EVENT_STACK_END:
		tracker->is_off = 1;
		break;
	default:
		return;
	}
	note_depth(thread);
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
	item->has_stack =
		!tracker->is_off && thread->calls.base != CALL_BASE_UNKNOWN && thread->calls.depth <= INDEX_MAX_FRAMES;
	if (!item->has_stack)
		return 1;
	item->depth = (uint32_t)thread->calls.depth;
	item->shared = (uint32_t)thread->low;
	for (size_t i = thread->low; i < thread->calls.depth; i++)
		encode_varint(methods, call_frames_method(&thread->calls, FRAME_SIZE, i));
	thread->low = thread->calls.depth;
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
	thread->searched = 0;
}

void call_tracker_adopt(call_tracker *tracker, const block_calls *calls)
{
	tracked_thread *thread = &tracker->threads[tracker->current];
	call_frames *open = &thread->calls;
	uint32_t *methods;
	size_t shared = 0;

	change_owner(thread, calls->owner);
	open->base = calls->is_known && !thread->has_leftover ? CALL_BASE_EMPTY : CALL_BASE_UNKNOWN;
	if (open->base == CALL_BASE_UNKNOWN || tracker->is_off)
		return;
	if (!array_reserve(thread_map_allocator(&tracker->by_thread), &open->frames, &open->capacity, calls->depth,
			   FRAME_SIZE)) {
		open->base = CALL_BASE_UNKNOWN;
		return;
	}
	methods = open->frames;
	/* The methods are those of the last entry: none are followed. */
	while (shared < thread->low && shared < calls->depth && methods[shared] == calls->methods[shared])
		shared++;
	for (size_t i = shared; i < calls->depth; i++)
		methods[i] = calls->methods[i];
	open->depth = calls->depth;
	thread->low = shared;
}

void call_tracker_leave(call_tracker *tracker, const block_calls *calls)
{
	tracked_thread *thread = &tracker->threads[tracker->current];

	if (calls->begins_thread)
		thread->has_leftover = 0;
	thread->is_empty = calls->is_empty_after;
	tracker->searched += calls->searched - thread->searched;
	thread->searched = calls->searched;
	if (calls->ends_all || tracker->searched > CALL_FRAMES_MAX_SEARCHED)
		tracker->is_off = 1;
}

void call_tracker_restart(call_tracker *tracker)
{
	const mprof_allocator *allocator = thread_map_allocator(&tracker->by_thread);

	for (size_t i = 0; i < tracker->count; i++) {
		tracker->threads[i].low = 0;
		/* The methods of blocks that are followed elsewhere are needed only to find the shared ones. */
		if (tracker->threads[i].has_owner)
			call_frames_release(&tracker->threads[i].calls, allocator, FRAME_SIZE);
	}
}

void call_tracker_stop(call_tracker *tracker)
{
	tracker->is_off = 1;
}
