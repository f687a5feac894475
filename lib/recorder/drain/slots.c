/* SPDX-License-Identifier: MIT */
/* Takes events from the slots of a buffer. */
#include "recorder/drain/slots.h"

#include "format/events/event_codes.h"
#include "format/events/event_columns.h"
#include "format/events/event_kinds.h"

/* Whether slots are an allocation that has a counter. */
static inline int slots_are_timed_allocation(const event_slot *slots)
{
	uint32_t code = (uint32_t)slots[0].stamp & 0xff;

	return (code & SLOT_WIDE) != 0 && (code & SLOT_KIND_MASK) == MPROF_EVENT_ALLOCATION;
}

/* What the subject of an event is by its kind: one of the keys, or the value itself. */
static inline key_subject slot_subject(uint32_t kind)
{
	switch (event_kind_rows[kind].id) {
	case MPROF_EVENT_ID_METHOD:
		return SUBJECT_METHOD;
	case MPROF_EVENT_ID_CLASS:
		return SUBJECT_CLASS;
	default:
		return SUBJECT_VALUE;
	}
}

/* Events with a time but no ID. They change call stacks as readers do (doc/format.md, 4.3 and 4.8). */
static int convert_value(recorder_drain *drain, mprof_thread *thread, mprof_event *event, uint64_t value)
{
	event->value = value;
	drain->memory_events += event->kind == MPROF_EVENT_MEMORY_FREED;
	switch (event->kind) {
	case MPROF_EVENT_THREAD_START:
		if (value != thread->id)
			return 1;
		switches_leave(&thread->drain.stacks, event->counter);
		call_frames_clear(&thread->drain.stacks.initial.calls, CALL_BASE_EMPTY);
		return 1;
	case MPROF_EVENT_RECORDING_RESUMED:
		call_frames_clear(&thread_stacks_current(&thread->drain.stacks)->calls, CALL_BASE_GAP);
		stack_table_note_gap(&drain->switched, event->counter - value);
		return 1;
	case MPROF_EVENT_STACK_SWITCH:
		return switches_enter(&drain->switched, &thread->drain.stacks, thread->serial, value, event->counter);
	case MPROF_EVENT_STACK_END:
		switches_end(&drain->switched, value);
		return 1;
	case MPROF_EVENT_GC_START:
		if (drain->heap.deaths.is_tracking)
			heap_deaths_note_collection(&drain->heap.deaths, event->counter);
		return 1;
	default:
		return 1;
	}
}

static inline int is_leave(uint32_t kind)
{
	return kind == MPROF_EVENT_METHOD_LEAVE || kind == MPROF_EVENT_METHOD_LEAVE_EXCEPTION ||
	       kind == MPROF_EVENT_METHOD_LEAVE_TAIL;
}

/*
 * A leave without a key is that of the method on top. Returns 0 if it cannot be written, because the dialect requires
 * the method and the stack is unknown.
 */
static int name_leave_of_top(recorder_drain *drain, mprof_thread *thread, mprof_event *event)
{
	shadow_stack *leaves = thread_stacks_current(&thread->drain.stacks);

	event->id = shadow_stack_pop_top(leaves);
	if (drain->output->implicit_leaves && (event->kind == MPROF_EVENT_METHOD_LEAVE || event->id == 0)) {
		event->kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		event->id = 0;
		return 1;
	}
	/* If no method is open, the leave matches none. */
	if (event->id == 0 && !shadow_stack_is_unknown(leaves))
		event->id = keys_method_id(&drain->keys, 0, event->counter);
	return event->id != 0;
}

/* Sets the event's ID from the subject of the slot. Returns 0 if out of memory for a new ID. */
static inline int name_subject(recorder_drain *drain, mprof_thread *thread, mprof_event *event, mprof_key key)
{
	key_subject subject = slot_subject(event->kind);
	const key_entry *entry;

	if (subject == SUBJECT_VALUE)
		return convert_value(drain, thread, event, key);
	if (!key_is_valid(key, drain->shared->keys_are_ids)) {
		if (key == 0 && is_leave(event->kind))
			return name_leave_of_top(drain, thread, event);
		key = key_for_none(drain->shared->keys_are_ids);
	}
	/* The most frequent leaves need no lookup. */
	if (event->kind == MPROF_EVENT_METHOD_LEAVE && drain->output->implicit_leaves &&
	    shadow_stack_returns(thread_stacks_current(&thread->drain.stacks), key)) {
		event->kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		return 1;
	}
	entry = key_table_find(&drain->keys.tables[subject], key);
	if (entry != NULL && entry->id != 0)
		event->id = entry->id;
	else if (subject == SUBJECT_METHOD)
		event->id = keys_method_id(&drain->keys, key, event->counter);
	else
		event->id = keys_class_id(&drain->keys, key, event->counter);
	/* An event without ID is not in the log. */
	if (event->id == 0)
		return 0;
	if (event->kind == MPROF_EVENT_METHOD_ENTER)
		shadow_stack_enter(thread_stacks_current(&thread->drain.stacks), &drain->shared->allocator, key,
				   event->id);
	else if (is_leave(event->kind))
		shadow_stack_leave(thread_stacks_current(&thread->drain.stacks), event->id);
	return 1;
}

static const mprof_frame *wide_frames(const event_slot *slots)
{
	return (const mprof_frame *)(const void *)&slots[2];
}

/* The innermost frame that is a method, 0 if none. */
static mprof_frame find_caller(const mprof_frame *frames, uint32_t count)
{
	uint32_t i = 0;

	while (i < count && (frames[i] & MPROF_FRAME_NATIVE) != 0)
		i++;
	return i < count ? frames[i] : 0;
}

static void convert_allocation(recorder_drain *drain, mprof_event *event, mprof_event_detail *detail,
			       const event_slot *slots)
{
	mprof_frame caller = find_caller(wide_frames(slots), (uint32_t)slots[1].stamp & 0xff);

	event->value = slots[0].stamp >> 8;
	if ((caller & MPROF_FRAME_COMPILING) != 0)
		event->kind = MPROF_EVENT_ALLOCATION_AT_JIT;
	if ((drain->shared->detail & MPROF_ALLOCATION_DETAIL_CALLER) != 0 && frame_method(caller) != 0)
		detail->caller = keys_method_id(&drain->keys, frame_method(caller), event->counter);
	if (event->id != 0 && drain->heap.deaths.is_tracking && detail->object != 0)
		heap_deaths_note_allocation(&drain->heap.deaths, detail->object, event->id, event->value,
					    event->counter);
}

/* An event of native memory. If memory was resized, the counter at the start of the call precedes the frames. */
static void convert_memory(recorder_drain *drain, mprof_thread *thread, mprof_event *event, mprof_event_detail *detail,
			   const event_slot *slots)
{
	const mprof_frame *frames = wide_frames(slots);
	uint32_t frame_count = (uint32_t)slots[1].stamp & 0xff;

	event->value = slots[0].subject;
	detail->size = slots[1].stamp >> 8;
	if (event->kind == MPROF_EVENT_MEMORY_RESIZED) {
		detail->started = frames[0] != 0 && frames[0] < event->counter ? frames[0] : event->counter;
		detail->started = output_counter(drain->output, detail->started);
		frames++;
		frame_count--;
	}
	if (frame_count > 0)
		detail->stack =
			stacks_intern(&drain->stacks, &thread->drain.last_stack, frames, frame_count, event->counter);
	drain->memory_events++;
}

/* The number of a new handle precedes the frames; that of a deleted one is stored as the object. */
static void convert_handle(mprof_event *event, mprof_event_detail *detail, const event_slot *slots,
			   const mprof_frame **frames, uint32_t *frame_count)
{
	detail->handle_type = (uint32_t)(slots[1].stamp >> 8);
	if (event->kind == MPROF_EVENT_HANDLE_DELETED) {
		event->value = detail->object;
		detail->object = 0;
		return;
	}
	event->value = **frames;
	++*frames;
	--*frame_count;
}

/* The ID of a method in a wide event. An invalid key yields the placeholder method. */
static uint32_t wide_method_id(recorder_drain *drain, mprof_key method, uint64_t counter)
{
	if (!key_is_valid(method, drain->shared->keys_are_ids))
		method = key_for_none(drain->shared->keys_are_ids);
	return keys_method_id(&drain->keys, method, counter);
}

/* The method that has the clause is stored as the object. */
static void convert_clause(recorder_drain *drain, mprof_event *event, mprof_event_detail *detail)
{
	detail->caller = wide_method_id(drain, detail->object, event->counter);
	detail->object = 0;
}

/* Code may belong to no method. Returns 0 if out of memory for the method's ID. */
static int convert_code(recorder_drain *drain, mprof_event *event, const event_slot *slots)
{
	event->value = slots[1].stamp >> 8;
	event->id = slots[0].subject != 0 ? wide_method_id(drain, slots[0].subject, event->counter) : 0;
	return event->id != 0 || slots[0].subject == 0;
}

/*
 * The arguments, whose length is the number, take the place of the frames, or if they are short that of the object.
 * Returns 0 if the type is not in the log.
 */
static int convert_typed(const recorder_drain *drain, mprof_event *event, mprof_event_detail *detail,
			 const event_slot *slots)
{
	const int is_short = ((uint32_t)slots[1].stamp & 0xff) == 0;

	event->id = (uint32_t)slots[0].subject;
	detail->object = 0;
	detail->arguments = (const uint8_t *)(is_short ? &slots[1] : &slots[2]);
	detail->argument_size = (size_t)(slots[1].stamp >> 8);
	return written_types_has(&drain->types, slots[0].subject);
}

/* An object that is freed or resized: then its new address precedes the frames. Returns 0 if out of memory. */
static int convert_object(recorder_drain *drain, mprof_event *event, mprof_event_detail *detail,
			  const event_slot *slots)
{
	const uint64_t size = slots[1].stamp >> 8;

	event->id = keys_class_id(&drain->keys, slots[0].subject, event->counter);
	event->value = event->kind == MPROF_EVENT_OBJECT_RESIZED ? wide_frames(slots)[0] : size;
	detail->size = event->kind == MPROF_EVENT_OBJECT_RESIZED ? size : 0;
	return event->id != 0;
}

/* Converts the slots of a wide event to *event. Returns 0 if out of memory for its IDs. */
static int convert_wide(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, mprof_event *event,
			mprof_event_detail *detail)
{
	uint32_t kind = (uint32_t)slots[0].stamp & SLOT_KIND_MASK;
	uint64_t number = slots[1].stamp >> 8;
	uint32_t frame_count = (uint32_t)slots[1].stamp & 0xff;
	const mprof_frame *frames = wide_frames(slots);
	int is_allocation = kind == MPROF_EVENT_ALLOCATION;
	uint64_t counter = slot_counter(thread->drain.last_counter, slots[is_allocation ? 1 : 0].stamp);

	*detail = (mprof_event_detail){.struct_size = sizeof(mprof_event_detail), .object = slots[1].subject};
	*event = (mprof_event){.kind = (uint8_t)kind, .counter = counter, .more.detail = detail};
	thread->drain.last_counter = counter;
	if (event_kind_rows[kind].category == MPROF_EVENT_CATEGORY_MEMORY) {
		convert_memory(drain, thread, event, detail, slots);
		return 1;
	}
	/* An event of a collection: its subject and its number. */
	if (event_kind_rows[kind].category == MPROF_EVENT_CATEGORY_COLLECTION) {
		event->id = (uint32_t)slots[1].subject;
		event->more.detail = NULL;
		return convert_value(drain, thread, event, slots[0].subject);
	}
	if (event_kind_rows[kind].category == MPROF_EVENT_CATEGORY_OBJECT)
		return convert_object(drain, event, detail, slots);
	if (kind == MPROF_EVENT_METHOD_CODE)
		return convert_code(drain, event, slots);
	if (kind == MPROF_EVENT_TYPED)
		return convert_typed(drain, event, detail, slots);
	if (kind == MPROF_EVENT_HANDLE_CREATED || kind == MPROF_EVENT_HANDLE_DELETED)
		convert_handle(event, detail, slots, &frames, &frame_count);
	if (kind == MPROF_EVENT_EXCEPTION_CLAUSE)
		convert_clause(drain, event, detail);
	/* The subject of allocations and exceptions is the class; other events may have none. */
	if (is_allocation || event_kind_rows[kind].category == MPROF_EVENT_CATEGORY_EXCEPTION || slots[0].subject != 0)
		event->id = keys_class_id(&drain->keys, slots[0].subject, counter);
	if ((drain->shared->detail & (is_allocation ? MPROF_ALLOCATION_DETAIL_STACK : DETAIL_STACKS)) != 0 &&
	    frame_count > 0)
		detail->stack = stacks_intern(&drain->stacks, &thread->drain.last_stack, frames, frame_count, counter);
	if (is_allocation)
		convert_allocation(drain, event, detail, slots);
	else if (kind != MPROF_EVENT_HANDLE_CREATED && kind != MPROF_EVENT_HANDLE_DELETED)
		event->value = number;
	return event->id != 0 || !is_allocation;
}

/* Whether the arguments of an event of a type fit where they are. */
static int arguments_are_whole(const event_slot *slots)
{
	const uint64_t frames = slots[1].stamp & 0xff;

	return slots[1].stamp >> 8 <= (frames > 0 ? frames : 1) * sizeof(mprof_frame);
}

/* Some events have another number before the frames. */
static uint32_t least_frames(uint32_t kind)
{
	return kind == MPROF_EVENT_HANDLE_CREATED || kind == MPROF_EVENT_MEMORY_RESIZED ||
	       kind == MPROF_EVENT_OBJECT_RESIZED;
}

int slots_are_whole(const event_slot *slots, uint32_t count)
{
	uint32_t i = 0;

	while (i < count) {
		uint32_t code = (uint32_t)slots[i].stamp & 0xff;
		uint32_t kind = code & SLOT_KIND_MASK;

		if (kind >= EVENT_KIND_COUNT)
			return 0;
		if ((code & SLOT_WIDE) == 0) {
			if (kind == MPROF_EVENT_TYPED)
				return 0;
			i++;
			continue;
		}
		if (count - i < 2 || slot_count(&slots[i]) > count - i ||
		    ((uint32_t)slots[i + 1].stamp & 0xff) < least_frames(kind) ||
		    (kind == MPROF_EVENT_TYPED && !arguments_are_whole(&slots[i])))
			return 0;
		i += slot_count(&slots[i]);
	}
	return 1;
}

size_t slots_count_events(const event_slot *slots, uint32_t count)
{
	size_t events = 0;

	for (uint32_t i = 0; i < count; i += slot_count(&slots[i]))
		events++;
	return events;
}

mprof_event *slots_repeat_switch(const recorder_drain *drain, const mprof_thread *thread, uint64_t counter,
				 mprof_event *event)
{
	if (!drain->output->repeats_switches || thread->drain.stacks.other == NULL)
		return event;
	*event = (mprof_event){.kind = MPROF_EVENT_STACK_SWITCH,
			       .counter = counter,
			       .value = thread->drain.stacks.other->state.number};
	return event + 1;
}

uint64_t slots_base_counter(const mprof_thread *thread, const event_slot *slots)
{
	return slots_are_timed_allocation(slots) ? slot_counter(thread->drain.last_counter, slots[1].stamp)
						 : thread->drain.last_counter;
}

/*
 * Converts the slots of an event to *event, and of a wide one to *detail. Returns 0 if it cannot be written: there is
 * no memory for a new ID.
 */
static int slots_convert_event(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, mprof_event *event,
			       mprof_event_detail *detail)
{
	uint32_t code = (uint32_t)slots->stamp & 0xff;
	int untimed = code == MPROF_EVENT_ALLOCATION;

	if ((code & SLOT_WIDE) != 0)
		return convert_wide(drain, thread, slots, event, detail);
	if (!untimed)
		thread->drain.last_counter = slot_counter(thread->drain.last_counter, slots->stamp);
	*event = (mprof_event){
		.kind = (uint8_t)(code & SLOT_KIND_MASK),
		.flags = (code & SLOT_FAILED) != 0 ? MPROF_EVENT_FLAG_FAILED : 0,
		.counter = thread->drain.last_counter,
		.value = untimed ? slots->stamp >> 8 : 0,
	};
	return name_subject(drain, thread, event, slots->subject);
}

size_t slots_convert(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, uint32_t count,
		     uint32_t *taken)
{
	const collection_times *times = &drain->shared->collections;
	/* The first collection after the time that allocations have in the log. */
	const uint64_t base_counter = slots_base_counter(thread, slots);
	uint64_t collection = collection_times_after(times, base_counter);
	mprof_event *event = slots_repeat_switch(drain, thread, base_counter, drain->events);
	mprof_event_detail *detail = drain->details;
	uint32_t i;

	for (i = 0; i < count; i += slot_count(&slots[i])) {
		int untimed = ((uint32_t)slots[i].stamp & 0xff) == MPROF_EVENT_ALLOCATION;
		int is_allocation = slots_are_timed_allocation(&slots[i]);
		int is_named;

		if (is_allocation && slot_counter(thread->drain.last_counter, slots[i + 1].stamp) > collection)
			break;
		is_named = slots_convert_event(drain, thread, &slots[i], event, detail);
		detail += (slots[i].stamp & SLOT_WIDE) != 0;
		if (!untimed && !is_allocation && thread->drain.last_counter > collection)
			collection = collection_times_after(times, thread->drain.last_counter);
		if (is_named)
			event++;
		else
			thread_count_lost(thread, drain->output, MPROF_LOSS_NO_MEMORY, 1);
	}
	*taken = i;
	return (size_t)(event - drain->events);
}

/* The ends of the columns that the frequent events extend. */
typedef struct column_ends {
	uint8_t *symbol;
	uint64_t *method;
	uint64_t *time;
	uint64_t *class_id;
	uint64_t *size;
} column_ends;

/* The times of calls. */
typedef struct call_times {
	uint64_t counter; /* Of the last event, in the units of slots. */
	uint64_t written; /* The same in the units of the log. */
	uint64_t any;     /* All times, combined with a bitwise or: the highest bit is set if one is negative. */
	uint32_t shift;   /* recorder_output::counter_shift. */
} call_times;

/* Returns the time of the next event, whose slot has stamp: the difference from the previous one. */
static inline uint64_t call_times_next(call_times *times, uint64_t stamp)
{
	const uint64_t written = times->written;

	times->counter = slot_counter(times->counter, stamp);
	times->written = times->counter >> times->shift;
	times->any |= times->written - written;
	return times->written - written;
}

_Static_assert(MPROF_EVENT_METHOD_ENTER == 1 && MPROF_EVENT_METHOD_LEAVE == 2 && EVENT_SYMBOL_ENTER == 0 &&
		       EVENT_SYMBOL_LEAVE_IMPLICIT == 1,
	       "slots_add_calls() computes symbols and depths from kinds");

/*
 * Adds calls to columns, up to the first slot that is not a simple call. Readers have to accept implicit leaves. There
 * is room in the columns for count calls. Returns how many were added.
 */
/*
 * Whether a call is an enter or a leave is unpredictable, and a branch that is predicted wrongly takes longer than all
 * else here. So each call does what either of them does: it looks up the method, and stores it at the end of its column
 * and above the top of the stack. Only an enter advances the end of the column, and changes the depth by 1 where a
 * leave changes it by -1. The only branches are those that end the run.
 */
static uint32_t slots_add_calls(const event_slot *slots, uint32_t count, key_cache *methods, shadow_stack *stack,
				column_ends *ends, call_times *times)
{
	shadow_frame *const frames = stack->calls.frames;
	const size_t capacity = stack->calls.capacity;
	call_times now = *times;
	uint64_t *method = ends->method;
	size_t depth = stack->calls.depth;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const uint64_t stamp = slots[i].stamp;
		const mprof_key key = slots[i].subject;
		const cached_key *const known = key_cache_find(methods, key);
		const uint32_t id = known->id;
		const uint32_t kind = (uint32_t)stamp & 0xff;
		const uint32_t is_enter = kind & 1;
		/* Of a leave, the index of the frame on top. If there is none, the result exceeds any depth. */
		const size_t next = depth + 3 - 2 * (size_t)kind;
		uint64_t expected = known->key;

		if (kind - MPROF_EVENT_METHOD_ENTER > 1 || next >= capacity || key == 0)
			break;
		expected ^= (expected ^ frames[next].key) & ((uint64_t)is_enter - 1);
		if (key != expected)
			break;
		frames[depth] = (shadow_frame){id, key};
		depth = next;
		*method = id;
		method += is_enter;
		ends->symbol[i] = (uint8_t)(kind - MPROF_EVENT_METHOD_ENTER);
		ends->time[i] = call_times_next(&now, stamp);
	}
	stack->calls.depth = depth;
	ends->symbol += i;
	ends->time += i;
	ends->method = method;
	*times = now;
	return i;
}

static column_ends get_ends(const event_columns *columns)
{
	const size_t *counts = columns->counts;

	return (column_ends){columns->symbols + counts[EVENT_COLUMN_SYMBOLS],
			     columns->values[EVENT_COLUMN_METHODS] + counts[EVENT_COLUMN_METHODS],
			     columns->values[EVENT_COLUMN_TIMES] + counts[EVENT_COLUMN_TIMES],
			     columns->values[EVENT_COLUMN_CLASSES] + counts[EVENT_COLUMN_CLASSES],
			     columns->values[EVENT_COLUMN_SIZES] + counts[EVENT_COLUMN_SIZES]};
}

static void set_ends(event_columns *columns, const column_ends *ends)
{
	size_t *counts = columns->counts;

	counts[EVENT_COLUMN_SYMBOLS] = (size_t)(ends->symbol - columns->symbols);
	counts[EVENT_COLUMN_METHODS] = (size_t)(ends->method - columns->values[EVENT_COLUMN_METHODS]);
	counts[EVENT_COLUMN_TIMES] = (size_t)(ends->time - columns->values[EVENT_COLUMN_TIMES]);
	counts[EVENT_COLUMN_CLASSES] = (size_t)(ends->class_id - columns->values[EVENT_COLUMN_CLASSES]);
	counts[EVENT_COLUMN_SIZES] = (size_t)(ends->size - columns->values[EVENT_COLUMN_SIZES]);
}

/* Puts a key with an ID into a cache. Returns NULL if it has none, or several. */
static const cached_key *cache_key(const recorder_drain *drain, const open_block *block, key_subject subject,
				   mprof_key key, key_cache *cache)
{
	const key_entry *entry;
	cached_key added;

	if (!key_is_valid(key, drain->shared->keys_are_ids))
		return NULL;
	entry = key_table_find(&drain->keys.tables[subject], key);
	if (entry == NULL || entry->id == 0)
		return NULL;
	added = (cached_key){key, entry->id, 0};
	if (subject == SUBJECT_CLASS)
		added.object_size = id_map_get(block->events.encoder.checker.defined.object_sizes, entry->id);
	return key_cache_put(cache, &added);
}

/* Finds a key with one ID. Returns NULL if the slow path must look it up. */
static inline const cached_key *find_key(const recorder_drain *drain, open_block *block, key_subject subject,
					 mprof_key key)
{
	key_cache *cache = subject == SUBJECT_METHOD ? &block->methods : &block->classes;
	const cached_key *known = key_cache_find(cache, key);

	if (__builtin_expect(known->key == key && key != 0, 1))
		return known;
	return cache_key(drain, block, subject, key, cache);
}

/* Adds an enter or a leave, except for its time. Returns 0, adding nothing, if it needs the slow path. */
static inline int collect_call(const recorder_drain *drain, open_block *block, shadow_stack *stack, column_ends *ends,
			       uint32_t code, mprof_key key)
{
	const cached_key *known;

	/* The most frequent leaves need no ID. */
	if (code == MPROF_EVENT_METHOD_LEAVE && drain->output->implicit_leaves && key != 0 &&
	    shadow_stack_returns(stack, key)) {
		*ends->symbol++ = EVENT_SYMBOL_LEAVE_IMPLICIT;
		return 1;
	}
	known = find_key(drain, block, SUBJECT_METHOD, key);
	if (known == NULL)
		return 0;
	if (code == MPROF_EVENT_METHOD_ENTER) {
		shadow_stack_enter(stack, &drain->shared->allocator, key, known->id);
		*ends->symbol++ = EVENT_SYMBOL_ENTER;
	} else {
		shadow_stack_leave(stack, known->id);
		*ends->symbol++ = EVENT_SYMBOL_LEAVE;
	}
	*ends->method++ = known->id;
	return 1;
}

/* Adds an allocation without details. Returns as collect_call(). */
static inline int collect_allocation(const recorder_drain *drain, open_block *block, column_ends *ends, mprof_key key,
				     uint64_t size)
{
	const cached_key *known = find_key(drain, block, SUBJECT_CLASS, key);

	if (known == NULL)
		return 0;
	*ends->class_id++ = known->id;
	if (known->object_size != 0 && known->object_size == size) {
		*ends->symbol++ = EVENT_SYMBOL_ALLOCATION_FIXED;
	} else {
		*ends->symbol++ = EVENT_SYMBOL_ALLOCATION;
		*ends->size++ = size;
	}
	return 1;
}

/* Adds a frequent event of any kind. Returns as collect_call(). */
static inline int collect_one(const recorder_drain *drain, open_block *block, shadow_stack *stack, column_ends *ends,
			      call_times *times, const event_slot *slot)
{
	const uint32_t code = (uint32_t)slot->stamp & 0xff;
	const event_rule *rule = &block->events.encoder.checker.rules[MPROF_EVENT_ALLOCATION];

	if (code == MPROF_EVENT_ALLOCATION && rule->layout == EVENT_LAYOUT_ALLOCATION && rule->fields == 0)
		return collect_allocation(drain, block, ends, slot->subject, slot->stamp >> 8);
	if ((code != MPROF_EVENT_METHOD_ENTER && code != MPROF_EVENT_METHOD_LEAVE) ||
	    !collect_call(drain, block, stack, ends, code, slot->subject))
		return 0;
	*ends->time++ = call_times_next(times, slot->stamp);
	return 1;
}

uint32_t slots_collect_frequent(const recorder_drain *drain, open_block *block, mprof_thread *thread,
				const event_slot *slots, uint32_t count)
{
	event_encoder *encoder = &block->events.encoder;
	shadow_stack *stack = thread_stacks_current(&thread->drain.stacks);
	column_ends ends = get_ends(&block->events.columns);
	const uint64_t before = encoder->last_counter;
	const uint64_t *first_time = ends.time;
	call_times times = {thread->drain.last_counter, before, 0, drain->output->counter_shift};
	uint32_t i = 0;

	do {
		if (drain->output->implicit_leaves)
			i += slots_add_calls(slots + i, count - i, &block->methods, stack, &ends, &times);
	} while (i < count && collect_one(drain, block, stack, &ends, &times, &slots[i]) && ++i < count);
	set_ends(&block->events.columns, &ends);
	encoder->written += i;
	encoder->last_counter = times.written;
	/* The highest bit is set if a time is negative. */
	if (__builtin_expect((int64_t)times.any < 0, 0))
		event_collector_note_times(&block->events, before, first_time, (size_t)(ends.time - first_time));
	else
		event_collector_note_counter(&block->events, times.written);
	thread->drain.last_counter = times.counter;
	return i;
}

/* Notes what an event does to the calls that readers have open (doc/format.md, 4.3 and 4.8). */
static void note_calls(block_calls *calls, const mprof_event *event, uint64_t thread)
{
	switch (event->kind) {
	case MPROF_EVENT_THREAD_START:
		calls->begins_thread |= event->value == thread;
		break;
	case MPROF_EVENT_RECORDING_RESUMED:
	case MPROF_EVENT_STACK_SWITCH:
	case MPROF_EVENT_STACK_END:
		calls->ends_all = 1;
		break;
	default:
		break;
	}
}

/* Adds an event of any kind. */
static mprof_status collect_event(recorder_drain *drain, event_collector *events, mprof_thread *thread,
				  const event_slot *slots)
{
	mprof_event_detail detail;
	mprof_event event;

	if (slots_convert_event(drain, thread, slots, &event, &detail)) {
		mprof_status status;

		output_convert_counters(drain->output, &event, 1);
		status = event_columns_add_event(&events->columns, &events->encoder, &event);
		event_collector_note_counter(events, events->encoder.last_counter);
		note_calls(&events->calls, &event, thread->id);
		return status;
	}
	thread_count_lost(thread, drain->output, MPROF_LOSS_NO_MEMORY, 1);
	return MPROF_OK;
}

/* The start of the first collection after the time that an allocation in the next slot has in the log. */
static uint64_t next_collection(const recorder_drain *drain, const open_block *block)
{
	const uint64_t last = block->events.encoder.last_counter << drain->output->counter_shift;

	/*
	 * The counter of a new block is taken before it is made coarser: otherwise the collection that the last block
	 * ended for could be after it.
	 */
	return collection_times_after(&drain->shared->collections,
				      last > block->start_counter ? last : block->start_counter);
}

mprof_status slots_collect(recorder_drain *drain, open_block *block, mprof_thread *thread, const event_slot *slots,
			   uint32_t count, uint32_t *taken)
{
	const collection_times *times = &drain->shared->collections;
	event_collector *events = &block->events;
	event_columns *columns = &events->columns;
	uint64_t collection = next_collection(drain, block);
	mprof_status status = MPROF_OK;
	uint32_t i = 0;

	*taken = 0;
	while (i < count && status == MPROF_OK) {
		size_t room = EVENT_COLUMNS_MAX_EVENTS - columns->counts[EVENT_COLUMN_SYMBOLS];
		const event_slot *next;

		i += slots_collect_frequent(drain, block, thread, slots + i,
					    count - i < room ? count - i : (uint32_t)room);
		next = &slots[i];
		if (i == count || event_columns_is_full(columns))
			break;
		if (thread->drain.last_counter > collection)
			collection = collection_times_after(times, thread->drain.last_counter);
		if (slots_are_timed_allocation(next) &&
		    slot_counter(thread->drain.last_counter, next[1].stamp) > collection)
			break;
		status = collect_event(drain, events, thread, next);
		i += slot_count(next);
	}
	*taken = i;
	return status;
}
