/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/slots.c
 * \brief Slots become events, and what they are about gets its IDs.
 */
#include "recorder/recorder_internal.h"

#include "recorder/heap_drain.h"

static const uint8_t subjects[MPROF_EVENT_KIND_COUNT] = {
	[MPROF_EVENT_METHOD_ENTER] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_LEAVE] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_LEAVE_EXCEPTION] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_LEAVE_TAIL] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_JIT_START] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_JIT_END] = SUBJECT_METHOD,
	[MPROF_EVENT_METHOD_FREED] = SUBJECT_METHOD,
	[MPROF_EVENT_CLASS_LOAD_START] = SUBJECT_CLASS,
	[MPROF_EVENT_CLASS_LOAD_END] = SUBJECT_CLASS,
	[MPROF_EVENT_CLASS_UNLOAD_START] = SUBJECT_CLASS,
	[MPROF_EVENT_CLASS_UNLOAD_END] = SUBJECT_CLASS,
	[MPROF_EVENT_EXCEPTION] = SUBJECT_CLASS,
	[MPROF_EVENT_ALLOCATION] = SUBJECT_CLASS,
	[MPROF_EVENT_THREAD_START] = SUBJECT_VALUE,
	[MPROF_EVENT_THREAD_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_MARK_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_MARK_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_SWEEP_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_SWEEP_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_RESIZE] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_STOP_WORLD_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_STOP_WORLD_END] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_START_WORLD_START] = SUBJECT_VALUE,
	[MPROF_EVENT_GC_START_WORLD_END] = SUBJECT_VALUE,
	[MPROF_EVENT_FINALIZATION_START] = SUBJECT_VALUE,
	[MPROF_EVENT_FINALIZATION_END] = SUBJECT_VALUE,
	[MPROF_EVENT_RECORDING_RESUMED] = SUBJECT_VALUE,
};

/* The counter in a slot has lost its top bits; it is near the last one, a little before or any time after. */
static inline uint64_t whole_counter(uint64_t last, uint64_t stamp)
{
	uint64_t difference = (stamp & ~UINT64_C(0xff)) - (last << 8);

	return last + (uint64_t)((int64_t)difference >> 8);
}

/* What has a time but no name. */
static void take_value(mprof_recorder *recorder, mprof_thread *thread, mprof_event *event, uint64_t value)
{
	event->value = value;
	/* Readers forget the stack there too. */
	if ((event->kind == MPROF_EVENT_THREAD_START && value == thread->id) ||
	    event->kind == MPROF_EVENT_RECORDING_RESUMED)
		leave_stack_restart(&thread->stack);
	if (event->kind == MPROF_EVENT_GC_START && recorder->heap.is_tracking)
		heap_note_collection(recorder, event->counter);
}

/* Turns what the slot is about into the event's id. Returns 0 if there is no memory to give it one. */
static inline int name_subject(mprof_recorder *recorder, mprof_thread *thread, mprof_event *event, mprof_key key)
{
	key_subject subject = (key_subject)subjects[event->kind];
	const key_entry *entry;

	if (subject == SUBJECT_VALUE) {
		take_value(recorder, thread, event, key);
		return 1;
	}
	if (!key_is_valid(key, recorder->keys_are_ids))
		key = key_for_none(recorder->keys_are_ids);
	/* The commonest leaves need no look-up. */
	if (event->kind == MPROF_EVENT_METHOD_LEAVE && recorder->implicit_leaves &&
	    leave_stack_returns(&thread->stack, key)) {
		event->kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		return 1;
	}
	entry = key_table_find(&recorder->keys[subject], key);
	if (entry != NULL && entry->id != 0)
		event->id = entry->id;
	else if (subject == SUBJECT_METHOD)
		event->id = recorder_method_id(recorder, key, event->counter);
	else
		event->id = recorder_class_id(recorder, key, event->counter);
	if (event->kind == MPROF_EVENT_METHOD_ENTER)
		leave_stack_enter(&thread->stack, &recorder->allocator, key, event->id);
	else if (event->kind == MPROF_EVENT_METHOD_LEAVE || event->kind == MPROF_EVENT_METHOD_LEAVE_EXCEPTION ||
		 event->kind == MPROF_EVENT_METHOD_LEAVE_TAIL)
		leave_stack_leave(&thread->stack, event->id);
	return event->id != 0;
}

static const mprof_frame *wide_frames(const event_slot *slots)
{
	return (const mprof_frame *)(const void *)&slots[2];
}

/* The innermost frame that is a method's, 0 if there is none. */
static mprof_frame find_caller(const mprof_frame *frames, uint32_t count)
{
	uint32_t i = 0;

	while (i < count && (frames[i] & MPROF_FRAME_NATIVE) != 0)
		i++;
	return i < count ? frames[i] : 0;
}

static void take_allocation(mprof_recorder *recorder, mprof_event *event, mprof_event_detail *detail,
			    const event_slot *slots)
{
	mprof_frame caller = find_caller(wide_frames(slots), (uint32_t)slots[1].stamp & 0xff);

	event->value = slots[0].stamp >> 8;
	if ((caller & MPROF_FRAME_COMPILING) != 0)
		event->kind = MPROF_EVENT_ALLOCATION_AT_JIT;
	if ((recorder->detail & MPROF_ALLOCATION_CALLER) != 0 && frame_method(caller) != 0)
		detail->caller = recorder_method_id(recorder, frame_method(caller), event->counter);
	if (event->id != 0 && recorder->heap.is_tracking && detail->object != 0)
		heap_note_allocation(recorder, detail->object, slots[0].subject, event->id, event->value,
				     event->counter);
}

/* Turns the slots of a wide event into *event. Returns 0 if there is no memory to say what it is about. */
static int convert_wide(mprof_recorder *recorder, mprof_thread *thread, const event_slot *slots, mprof_event *event,
			mprof_event_detail *detail)
{
	uint32_t kind = (uint32_t)slots[0].stamp & SLOT_KIND_MASK;
	uint64_t number = slots[1].stamp >> 8;
	uint32_t frame_count = (uint32_t)slots[1].stamp & 0xff;
	int is_allocation = kind == MPROF_EVENT_ALLOCATION;
	uint64_t counter = whole_counter(thread->last_counter, slots[is_allocation ? 1 : 0].stamp);

	*detail = (mprof_event_detail){.object = slots[1].subject};
	*event = (mprof_event){.kind = (uint8_t)kind, .counter = counter, .more.detail = detail};
	thread->last_counter = counter;
	/* Of a collection: what it is about, and its number. */
	if (subjects[kind] == SUBJECT_VALUE) {
		event->id = (uint32_t)slots[1].subject;
		event->more.detail = NULL;
		take_value(recorder, thread, event, slots[0].subject);
		return 1;
	}
	/* Of allocations the class is what they are about; others may have none. */
	if (is_allocation || slots[0].subject != 0)
		event->id = recorder_class_id(recorder, slots[0].subject, counter);
	if ((recorder->detail & (is_allocation ? MPROF_ALLOCATION_STACK : DETAIL_STACKS)) != 0 && frame_count > 0)
		detail->stack = stacks_intern(recorder, &thread->chain, wide_frames(slots), frame_count, counter);
	if (is_allocation) {
		take_allocation(recorder, event, detail, slots);
	} else if (kind == MPROF_EVENT_HANDLE_CREATED || kind == MPROF_EVENT_HANDLE_DELETED) {
		event->value = number >> 2;
		detail->handle_type = (uint32_t)number & 3;
	} else {
		event->value = number;
	}
	return event->id != 0 || !is_allocation;
}

static inline uint32_t slot_count(const event_slot *slots)
{
	return (slots->stamp & SLOT_WIDE) != 0 ? SLOT_COUNT((uint32_t)slots[1].stamp & 0xff) : 1;
}

size_t slots_count_events(const event_slot *slots, uint32_t count)
{
	size_t events = 0;

	for (uint32_t i = 0; i < count; i += slot_count(&slots[i]))
		events++;
	return events;
}

size_t slots_convert(mprof_recorder *recorder, mprof_thread *thread, const event_slot *slots, uint32_t count)
{
	mprof_event *event = recorder->events;
	mprof_event_detail *detail = recorder->details;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t code = (uint32_t)slots[i].stamp & 0xff;
		int untimed = code == MPROF_EVENT_ALLOCATION;
		int is_named;

		if ((code & SLOT_WIDE) != 0) {
			is_named = convert_wide(recorder, thread, &slots[i], event, detail++);
			i += slot_count(&slots[i]) - 1;
		} else {
			if (!untimed)
				thread->last_counter = whole_counter(thread->last_counter, slots[i].stamp);
			*event = (mprof_event){
				.kind = (uint8_t)(code & SLOT_KIND_MASK),
				.flags = (code & SLOT_FAILED) != 0 ? MPROF_EVENT_FAILED : 0,
				.counter = thread->last_counter,
				.value = untimed ? slots[i].stamp >> 8 : 0,
			};
			is_named = name_subject(recorder, thread, event, slots[i].subject);
		}
		if (is_named)
			event++;
		else
			thread_count_lost(recorder, thread, MPROF_LOSS_NO_MEMORY, 1);
	}
	return (size_t)(event - recorder->events);
}
