/* SPDX-License-Identifier: MIT */
/* The index at the end of a log, with the calls that are open at each block. */
#include "writer/log_index.h"

#include "base/bytes.h"
#include "format/blocks/index_items.h"

#include <string.h>

/* The stacks have only methods. */
#define FRAME_SIZE sizeof(uint32_t)

static void call_tracker_init(call_tracker *tracker, const mprof_allocator *allocator)
{
	memset(tracker, 0, sizeof(*tracker));
	thread_map_init(&tracker->by_thread, allocator);
}

static void call_tracker_destroy(call_tracker *tracker)
{
	const mprof_allocator *allocator = thread_map_allocator(&tracker->by_thread);

	for (size_t i = 0; i < tracker->count; i++)
		call_frames_release(&tracker->threads[i].calls, allocator, FRAME_SIZE);
	allocator_release(allocator, tracker->threads, tracker->capacity * sizeof(*tracker->threads));
	thread_map_destroy(&tracker->by_thread);
}

/* Starts a block of a thread. Returns 0 and changes nothing if out of memory. */
static int call_tracker_begin(call_tracker *tracker, uint64_t thread, uint64_t base_counter)
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

/*
 * Sets the call stack of an entry to that of the current thread, which later entries share. methods is emptied and
 * receives the frames that are not shared. Returns 0 if out of memory. Unless the entry is added to the INDEX block,
 * call_tracker_stop() has to be called.
 */
static int call_tracker_describe(call_tracker *tracker, index_item *item, encode_buffer *methods)
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

/*
 * Sets the call stack of the current thread, whose events are not followed, to that at the start of the block. If it is
 * not known, or there is no memory, it is unknown for the block.
 */
static void call_tracker_adopt(call_tracker *tracker, const block_calls *calls)
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

/* After call_tracker_adopt() and call_tracker_describe(): notes what the events of the block do to the calls. */
static void call_tracker_leave(call_tracker *tracker, const block_calls *calls)
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

/* An INDEX block ends: later entries share no frames with those before. */
static void call_tracker_restart(call_tracker *tracker)
{
	const mprof_allocator *allocator = thread_map_allocator(&tracker->by_thread);

	for (size_t i = 0; i < tracker->count; i++) {
		tracker->threads[i].low = 0;
		/* The methods of blocks that are followed elsewhere are needed only to find the shared ones. */
		if (tracker->threads[i].has_owner)
			call_frames_release(&tracker->threads[i].calls, allocator, FRAME_SIZE);
	}
}

/* All stacks are unknown from here on. */
static void call_tracker_stop(call_tracker *tracker)
{
	tracker->is_off = 1;
}

/* An INDEX block is written when its entries have this many bytes, or describe this many blocks. */
#define FULL_LENGTH ((size_t)64 << 10)
#define FULL_COUNT 4096

/* Upper bound for an entry without the IDs of its call stack: code, length, two counters, thread, two depths. */
#define ITEM_LENGTH ((size_t)7 * MPROF_VARINT_MAX_LENGTH)

/* Upper bound for the rest of an INDEX block: header, distance, count, checksum. */
#define FRAME_LENGTH (6 + 2 * MPROF_VARINT_MAX_LENGTH + 4)

void log_index_init(log_index *index, const mprof_allocator *allocator)
{
	memset(index, 0, sizeof(*index));
	encode_buffer_init(&index->items, allocator, SIZE_MAX);
	encode_buffer_init(&index->methods, allocator, SIZE_MAX);
	encode_buffer_init(&index->block, allocator, SIZE_MAX);
	call_tracker_init(&index->calls, allocator);
}

void log_index_destroy(log_index *index)
{
	encode_buffer_destroy(&index->items);
	encode_buffer_destroy(&index->methods);
	encode_buffer_destroy(&index->block);
	call_tracker_destroy(&index->calls);
}

void log_index_note_clock(log_index *index, const mprof_clock *clock)
{
	index->clock = *clock;
	if (!index->has_clock) {
		index->has_clock = 1;
		index->first_clock = *clock;
		index->latest_clock = *clock;
	} else if ((int64_t)(clock->counter - index->first_clock.counter) >
		   (int64_t)(index->latest_clock.counter - index->first_clock.counter)) {
		index->latest_clock = *clock;
	}
}

int log_index_is_in_order(const log_index *index)
{
	return !index->calls.goes_back && index->clock.counter == index->latest_clock.counter &&
	       index->clock.time == index->latest_clock.time;
}

/* Describes the calls at the start of the next block. */
static int describe_next(log_index *index)
{
	if (!call_tracker_describe(&index->calls, &index->next, &index->methods)) {
		call_tracker_stop(&index->calls);
		return 0;
	}
	index->has_next = 1;
	return 1;
}

int log_index_begin_events(log_index *index, uint64_t thread, uint64_t base_counter)
{
	memset(&index->next, 0, sizeof(index->next));
	return call_tracker_begin(&index->calls, thread, base_counter) && describe_next(index);
}

int log_index_begin_block(log_index *index, uint64_t thread, uint64_t base_counter, uint64_t latest, int goes_back,
			  const block_calls *calls)
{
	memset(&index->next, 0, sizeof(index->next));
	if (!call_tracker_begin(&index->calls, thread, base_counter))
		return 0;
	call_tracker_adopt(&index->calls, calls);
	if (!describe_next(index))
		return 0;
	call_tracker_leave(&index->calls, calls);
	index->calls.latest = latest;
	index->calls.goes_back |= goes_back;
	return 1;
}

int log_index_reserve(log_index *index)
{
	if (encode_buffer_reserve(&index->items, ITEM_LENGTH + index->methods.length))
		return 1;
	/* The caller may try again. */
	encode_buffer_truncate(&index->items, index->items.length);
	return 0;
}

void log_index_add(log_index *index, const dialect_rules *rules, const encode_buffer *block, size_t content_length,
		   size_t length)
{
	index_item item = {0};
	block_summary summary;

	if (index->has_next)
		item = index->next;
	item.code = bytes_load_16(block->bytes);
	item.kind = dialect_block_kind(rules, item.code);
	item.length = length;
	(void)block_peek(item.kind, block->bytes + rules->header_length, content_length, &summary);
	item.thread = summary.thread;
	item.start_counter = summary.start_counter;
	item.end_counter = summary.end_counter;
	if (item.kind == MPROF_BLOCK_EVENTS)
		item.end_counter = index->calls.latest;
	else if (block_kind_ends_with_clock(item.kind))
		item.end_counter = index->clock.counter;
	item.methods = index->methods.bytes;
	item.methods_length = index->methods.length;
	index_item_encode(&index->items, &index->base, &item);
	index->count++;
	index->has_next = 0;
	encode_buffer_clear(&index->methods);
}

void log_index_end(log_index *index)
{
	log_index_lose(index);
	index->is_used = 0;
}

void log_index_lose(log_index *index)
{
	if (index->has_next)
		call_tracker_stop(&index->calls);
	index->has_next = 0;
	encode_buffer_clear(&index->methods);
}

int log_index_is_due(const log_index *index)
{
	return index->is_used && !index->has_next && (index->items.length >= FULL_LENGTH || index->count >= FULL_COUNT);
}

uint64_t log_index_bound(const log_index *index, unsigned more)
{
	return FRAME_LENGTH + index->items.length + (uint64_t)ITEM_LENGTH * more + index->methods.length;
}

mprof_status log_index_encode(log_index *index, const block_encoding *encoding, uint64_t offset)
{
	block_encode_index(&index->block, encoding, index->has_last ? offset - index->last : 0, index->count,
			   &index->items);
	return block_encode_end(&index->block, encoding);
}

void log_index_restart(log_index *index, uint64_t offset)
{
	index->last = offset;
	index->has_last = 1;
	index->count = 0;
	encode_buffer_clear(&index->items);
	memset(&index->base, 0, sizeof(index->base));
	call_tracker_restart(&index->calls);
}
