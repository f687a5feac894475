/* SPDX-License-Identifier: MIT */
/* Takes events from the slots of a buffer. */
#include "recorder/slots_collect.h"

#include "format/event_codes.h"
#include "format/event_columns.h"

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
		added.object_size = id_map_get(block->events.encoder.defined.object_sizes, entry->id);
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
	const event_rule *rule = &block->events.encoder.rules[MPROF_EVENT_ALLOCATION];

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
