/* SPDX-License-Identifier: MIT */
/* Copies events. */
#include "convert/copy_events.h"

#include "convert/copy_definitions.h"
#include "convert/merge_input.h"
#include "format/blocks/records.h"
#include "format/events/event_kinds.h"
#include "format/values/losses.h"

#include <string.h>

/*
 * Translates the threads, the methods, the classes and the other numbers of events of a log that is merged with
 * others.
 */

static int translate_event_id(merge_input *input, mprof_event *event)
{
	switch (event_kind_rows[event->kind].id) {
	case MPROF_EVENT_ID_METHOD:
		/* A sample has a call stack. */
		return event->kind == MPROF_EVENT_SAMPLE || merge_translate_id(input, MERGE_METHOD, &event->id);
	case MPROF_EVENT_ID_CLASS:
		return merge_translate_id(input, MERGE_CLASS, &event->id);
	case MPROF_EVENT_ID_COLLECTION:
		return merge_translate_id(input, MERGE_COLLECTION, &event->id);
	default:
		return 1;
	}
}

static int translate_event_value(merge_input *input, mprof_event *event)
{
	const uint64_t number = event->value;

	switch (event_kind_rows[event->kind].value) {
	case MPROF_EVENT_VALUE_THREAD:
		event->value = merge_thread(input, number);
		break;
	case MPROF_EVENT_VALUE_STACK:
		event->value = merge_number_get(input, MERGE_CALL_STACK, number);
		/* The number may be used for another stack. */
		if (event->kind == MPROF_EVENT_STACK_END)
			own_numbers_end(&input->numbers[MERGE_CALL_STACK], number);
		break;
	default:
		return 1;
	}
	return event->value != 0 || number == 0;
}

/* Translates the method in the detail of an event: the one that allocates, or that has the clause. */
static int translate_event_caller(mprof_converter *converter, size_t index)
{
	mprof_event *event = &converter->events[index];

	if (event->more.detail == NULL || event->more.detail->caller == 0 || event->kind == MPROF_EVENT_SAMPLE)
		return 1;
	converter->details[index] = *event->more.detail;
	event->more.detail = &converter->details[index];
	return merge_translate_id(converter->merge, MERGE_METHOD, &converter->details[index].caller);
}

int merge_translate_events(mprof_converter *converter, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &converter->events[i];

		if (!translate_event_id(converter->merge, event) || !translate_event_value(converter->merge, event) ||
		    !translate_event_caller(converter, i))
			return 0;
	}
	return 1;
}

/*
 * Numbers of spans and flows become those of the process: sequences of different processes are then far apart, and
 * random numbers stay as different as they were.
 */
static uint64_t apart_by_process(const merge_input *input, uint64_t number)
{
	return number == 0 ? 0 : number + hash_address(input->index);
}

/* Whether an argument is the number of a collection (section 4.11 of doc/format.md). */
static int is_collection(const mprof_type_record *type, const mprof_argument_record *argument)
{
	static const char reserved[] = "mprof.";

	return strncmp(type->name, reserved, sizeof(reserved) - 1) == 0 && strcmp(argument->name, "collection") == 0;
}

/* Translates an argument of an event of a type that is no ID of a record. */
static uint64_t merge_translate_argument(const mprof_converter *converter, const mprof_type_record *type,
					 const mprof_argument_record *argument, uint64_t number)
{
	merge_input *input = converter->merge;

	switch (argument->role) {
	case MPROF_ROLE_SPAN:
	case MPROF_ROLE_PARENT:
	case MPROF_ROLE_CAUSE:
	case MPROF_ROLE_FLOW_OUT:
	case MPROF_ROLE_FLOW_IN:
		return apart_by_process(input, number);
	default:
		break;
	}
	if (argument->encoding != MPROF_ENCODING_UNSIGNED)
		return number;
	if (is_collection(type, argument) && number <= UINT32_MAX)
		return merge_number_get(input, MERGE_COLLECTION, number);
	switch (argument->kind) {
	case MPROF_ARGUMENT_METHOD:
		return number > UINT32_MAX ? number : merge_number_get(input, MERGE_METHOD, number);
	case MPROF_ARGUMENT_CLASS:
		return number > UINT32_MAX ? number : merge_number_get(input, MERGE_CLASS, number);
	case MPROF_ARGUMENT_THREAD:
		return merge_thread(input, number);
	default:
		return number;
	}
}

/*
 * Copies events of types: their arguments may be IDs and durations, which the copy may have in another form.
 */

/* The kinds of records that arguments refer to. */
static const uint32_t referenced[] = {MPROF_RECORD_TEXT, MPROF_RECORD_STACK, MPROF_RECORD_LOCATION};

#define REFERENCED_COUNT (sizeof(referenced) / sizeof(referenced[0]))

/* Whether an argument can differ in the copy. */
static int arguments_differ(const mprof_converter *converter)
{
	if (resolution_changes(&converter->resolution) || converter->merge != NULL)
		return 1;
	for (size_t i = 0; i < REFERENCED_COUNT; i++) {
		const id_translation *ids = &converter->ids[referenced[i]];

		if (ids->same != ids->defined)
			return 1;
	}
	return 0;
}

static int has_arguments(const mprof_event *event)
{
	return event->kind == MPROF_EVENT_TYPED && event->more.detail != NULL;
}

/* Makes room for the arguments of a batch of events. Returns 0 if out of memory. */
static int copy_arguments_begin(mprof_converter *converter, const mprof_event *events, size_t count)
{
	size_t room = 0;

	converter->translates_arguments = 0;
	encode_buffer_clear(&converter->arguments);
	for (size_t i = 0; i < count; i++) {
		/* Translated IDs may be longer. */
		if (has_arguments(&events[i]))
			room += events[i].more.detail->argument_size +
				(size_t)MPROF_TYPE_MAX_ARGUMENTS * MPROF_VARINT_MAX_LENGTH;
	}
	if (room == 0 || !arguments_differ(converter))
		return 1;
	converter->translates_arguments = 1;
	return encode_buffer_reserve(&converter->arguments, room);
}

/* The record that an argument of a kind is the ID of; 0 if it is no such ID. */
static uint32_t record_of_kind(uint32_t kind)
{
	switch (kind) {
	case MPROF_ARGUMENT_TEXT_ID:
		return MPROF_RECORD_TEXT;
	case MPROF_ARGUMENT_STACK:
		return MPROF_RECORD_STACK;
	case MPROF_ARGUMENT_LOCATION:
		return MPROF_RECORD_LOCATION;
	default:
		return 0;
	}
}

static uint64_t translate_number(const mprof_converter *converter, const mprof_type_record *type,
				 const mprof_argument_record *argument, uint64_t number)
{
	const uint32_t record = record_of_kind(argument->kind);

	if (converter->merge != NULL && record == 0)
		number = merge_translate_argument(converter, type, argument, number);
	if (argument->encoding != MPROF_ENCODING_UNSIGNED)
		return number;
	if (argument->kind == MPROF_ARGUMENT_DURATION)
		return resolution_duration(&converter->resolution, number);
	if (record == 0 || number > UINT32_MAX)
		return number;
	return id_translation_get(&converter->ids[record], (uint32_t)number);
}

/* Appends an argument to the buffer, which has room for it. */
static void put_argument(encode_buffer *buffer, const mprof_argument_value *value, uint32_t encoding)
{
	buffer->length += mprof_argument_encode(value, encoding, buffer->bytes + buffer->length,
						buffer->capacity - buffer->length);
}

/*
 * Translates the arguments that the type describes. Those after them, which a later version of the program has added,
 * and what cannot be read, are copied as they are.
 */
static void translate_arguments(mprof_converter *converter, const mprof_type_record *type, mprof_event_detail *detail)
{
	encode_buffer *buffer = &converter->arguments;
	const size_t start = buffer->length;
	size_t position = 0;

	for (uint32_t i = 0; i < type->argument_count; i++) {
		mprof_argument_value value;
		mprof_record argument;

		if (mprof_reader_lookup_record(converter->reader, MPROF_RECORD_ARGUMENT, type->first_argument + i,
					       &argument, sizeof(argument)) != MPROF_OK ||
		    mprof_argument_decode(detail, argument.as.argument.encoding, &position, &value) != 1)
			break;
		value.number = translate_number(converter, type, &argument.as.argument, value.number);
		put_argument(buffer, &value, argument.as.argument.encoding);
	}
	memcpy(buffer->bytes + buffer->length, detail->arguments + position, detail->argument_size - position);
	buffer->length += detail->argument_size - position;
	detail->arguments = buffer->bytes + start;
	detail->argument_size = buffer->length - start;
}

/*
 * Translates the type of an event, and the arguments that are IDs or, in another resolution, durations. detail
 * receives the detail if it changes.
 */
static void copy_arguments(mprof_converter *converter, mprof_event *event, mprof_event_detail *detail)
{
	const uint32_t type_id = event->id;
	mprof_record type;

	event->id = id_translation_get(&converter->ids[MPROF_RECORD_TYPE], type_id);
	if (!converter->translates_arguments || event->more.detail == NULL ||
	    mprof_reader_lookup_record(converter->reader, MPROF_RECORD_TYPE, type_id, &type, sizeof(type)) != MPROF_OK)
		return;
	*detail = *event->more.detail;
	translate_arguments(converter, &type.as.type, detail);
	event->more.detail = detail;
}

void resolution_convert_events(const copy_resolution *resolution, mprof_event *events, size_t count)
{
	if (!resolution_changes(resolution))
		return;
	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &events[i];
		const uint64_t counter = resolution_counter(resolution, event->counter);

		/* The duration ends at the event: its start is rounded like all other counters. */
		if (event->kind == MPROF_EVENT_RECORDING_RESUMED)
			event->value = counter - resolution_counter(resolution, event->counter - event->value);
		event->counter = counter;
	}
}

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
	thread->other->state.left_at = counter;
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
	const uint64_t left_at = next != NULL ? next->state.left_at : thread->own_left;
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
	if (stack_table_is_stale(&converter->stacks, left_at))
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

/*
 * Follows an event that changes the stack of a thread: a switch, the end of a stack, the start or end of the thread, or
 * a gap in its recording. For a switch, it writes leaves of the calls that are open on the old stack and enters of
 * those on the new one, so that times are right. The caller writes event itself, which the writer counts as left out
 * if the dialect does not have it.
 */
static mprof_status copy_switch(mprof_converter *converter, thread_state *thread, const mprof_event *event)
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

/* The state of a thread, added if missing; valid until the next call. NULL if out of memory. */
static thread_state *converter_thread(mprof_converter *converter, uint64_t thread)
{
	const size_t position = thread_map_find(&converter->thread_positions, thread);
	void *threads = converter->threads;
	thread_state *created;
	int is_added;

	if (position != THREAD_MAP_NONE)
		return &converter->threads[position];
	is_added = thread_map_add(&converter->thread_positions, thread, &threads, &converter->thread_capacity,
				  converter->thread_count, sizeof(*converter->threads));
	converter->threads = threads;
	if (!is_added)
		return NULL;
	created = &converter->threads[converter->thread_count++];
	created->thread = thread;
	return created;
}

/*
 * A block of the copy is ended at this length. Some dialects need far more bytes for the same events than others, and
 * readers refuse blocks that are too long.
 */
#define MAX_BLOCK_BYTES ((size_t)16 << 20)

/* Translates the stack ID of an event, and the time when it started. */
static void translate_detail(mprof_converter *converter, mprof_event *event, size_t index)
{
	const id_translation *stacks = &converter->ids[MPROF_RECORD_STACK];
	const uint32_t stack = event->more.detail->stack;

	if (stack <= stacks->same && !resolution_changes(&converter->resolution))
		return;
	converter->details[index] = *event->more.detail;
	converter->details[index].stack = id_translation_get(stacks, stack);
	converter->details[index].started = resolution_counter(&converter->resolution, event->more.detail->started);
	event->more.detail = &converter->details[index];
}

static void translate_leave(mprof_converter *converter, thread_state *thread, mprof_event *event)
{
	call_frames *calls = thread_calls(thread);
	const size_t depth = calls->depth;

	if (depth == 0 || call_frames_method(calls, sizeof(uint32_t), depth - 1) != event->id) {
		call_frames_leave(calls, sizeof(uint32_t), event->id, &converter->searched);
		return;
	}
	calls->depth--;
	if (!converter->shortens_leaves || event->kind != MPROF_EVENT_METHOD_LEAVE)
		return;
	event->kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
	event->id = 0;
}

/* Translates an implicit leave that the reader has resolved. It stays implicit in the copy if the dialect permits. */
static void translate_resolved_leave(const mprof_converter *converter, thread_state *thread, mprof_event *event)
{
	const uint32_t method = call_frames_leave_top(thread_calls(thread), sizeof(uint32_t));

	event->flags = 0;
	if (event->id == 0)
		event->id = method;
	if (event->id != 0 && converter->resolves_leaves)
		return;
	event->kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
	event->id = 0;
}

static void translate_implicit_leave(thread_state *thread, mprof_event *event)
{
	const uint32_t method = call_frames_leave_top(thread_calls(thread), sizeof(uint32_t));

	if (method == 0)
		return;
	event->kind = MPROF_EVENT_METHOD_LEAVE;
	event->id = method;
}

/* Returns 0 if out of memory. */
static int follow_enter(const mprof_converter *converter, call_frames *calls, uint32_t method)
{
	if (!call_frames_make_room(calls, &converter->allocator, sizeof(method), CALL_FRAMES_MAX))
		return 0;
	((uint32_t *)calls->frames)[calls->depth++] = method;
	return 1;
}

/* Whether an event changes the open calls without being an enter or a leave. */
static int changes_open_calls(const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_THREAD_START:
	case MPROF_EVENT_RECORDING_RESUMED:
	case MPROF_EVENT_STACK_SWITCH:
	case MPROF_EVENT_STACK_END:
		return 1;
	default:
		return 0;
	}
}

/* Follows the open calls of a thread and translates leaves. Returns 0 if out of memory. */
static int translate_call(mprof_converter *converter, thread_state *thread, mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		return follow_enter(converter, thread_calls(thread), event->id);
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_EXCEPTION:
	case MPROF_EVENT_METHOD_LEAVE_TAIL:
		translate_leave(converter, thread, event);
		break;
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		translate_implicit_leave(thread, event);
		break;
	default:
		break;
	}
	return 1;
}

/* Writes the events of a batch before one that changes the stack, and then the enters and leaves that replace it. */
static mprof_status write_before_switch(mprof_converter *converter, thread_state *thread, size_t count,
					const mprof_event *event)
{
	mprof_status status = mprof_writer_write_events(converter->writer, converter->events, count, NULL);

	return status == MPROF_OK ? copy_switch(converter, thread, event) : status;
}

/*
 * Translates a batch to the copy. Stack sections are removed: each event with a call stack has its stack ID, and the
 * writer creates its own sections.
 */
static mprof_status translate_events(mprof_converter *converter, thread_state *thread, size_t *count)
{
	const int follows_calls = converter->resolves_leaves || converter->shortens_leaves;
	mprof_event *events = converter->events;
	size_t kept = 0;

	if (!copy_arguments_begin(converter, events, *count))
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < *count; i++) {
		const mprof_event event = events[i];

		if (event.kind == MPROF_EVENT_STACK_SECTION)
			continue;
		if (follows_calls && changes_open_calls(&event)) {
			mprof_status status = write_before_switch(converter, thread, kept, &event);

			if (status != MPROF_OK)
				return status;
			kept = 0;
		}
		events[kept] = event;
		if ((event.flags & MPROF_EVENT_FLAG_IMPLICIT) != 0)
			translate_resolved_leave(converter, thread, &events[kept]);
		else if (follows_calls && !translate_call(converter, thread, &events[kept]))
			return MPROF_ERR_MEMORY;
		if (event.kind == MPROF_EVENT_TYPED)
			copy_arguments(converter, &events[kept], &converter->details[kept]);
		else if (events[kept].more.detail != NULL)
			translate_detail(converter, &events[kept], kept);
		kept++;
	}
	*count = kept;
	return MPROF_OK;
}

static mprof_status begin_block(mprof_converter *converter, thread_state *thread, uint64_t base)
{
	thread->begun_at = base;
	thread->has_begun = 1;
	return mprof_writer_begin_events(converter->writer, thread->thread, base);
}

/* Ends the block and begins another one, which continues from the last event. */
static mprof_status split_block(mprof_converter *converter, const mprof_block *block, thread_state *thread)
{
	mprof_status status = mprof_writer_end_events(converter->writer);

	if (status != MPROF_OK)
		return status;
	converter_set_clock(converter, block);
	return begin_block(converter, thread, thread->last_counter);
}

static mprof_status write_event_batch(mprof_converter *converter, const mprof_block *block, thread_state *thread,
				      size_t count)
{
	const uint64_t last_counter = count > 0 ? converter->events[count - 1].counter : thread->last_counter;
	mprof_status status = translate_events(converter, thread, &count);

	if (status == MPROF_OK && writer_block_length(converter->writer) > MAX_BLOCK_BYTES)
		status = split_block(converter, block, thread);
	if (status == MPROF_OK)
		status = mprof_writer_write_events(converter->writer, converter->events, count, NULL);
	thread->last_counter = last_counter;
	return status;
}

/*
 * The counter that the first time of a block is relative to. If a block repeats the base counter of its thread's
 * previous block, Mono wrote that block before its buffer was full: the counters continue from the last event of that
 * block. The copy contains the effective base, for dialects without this rule and programs that do not implement it.
 * Base counters that become equal only in the unit of the copy are no repetition, but readers would take them for one:
 * such a block begins at the last event.
 */
static uint64_t effective_base(const mprof_converter *converter, thread_state *thread, const mprof_block *block)
{
	const int is_repeated = thread->has_block && thread->base_counter == block->as.events.base_counter;
	uint64_t base = thread->last_counter;

	if (!is_repeated)
		base = resolution_counter(&converter->resolution, block->as.events.base_counter);
	if (resolution_changes(&converter->resolution) && thread->has_begun && base == thread->begun_at)
		base = thread->last_counter;
	thread->has_block = 1;
	thread->base_counter = block->as.events.base_counter;
	thread->last_counter = base;
	return base;
}

mprof_status copy_events_end(mprof_converter *converter)
{
	if (!converter->has_open_block)
		return MPROF_OK;
	converter->has_open_block = 0;
	return mprof_writer_end_events(converter->writer);
}

/* Begins a block of the copy, or continues the one that is open. */
static mprof_status begin_events(mprof_converter *converter, const mprof_block *block, thread_state *thread)
{
	const uint64_t base = effective_base(converter, thread, block);
	mprof_status status;

	if (converter->has_open_block && converter->open_thread == block->thread) {
		converter_set_clock(converter, block);
		/* The next clock that the writer reads is that at the end of the block. */
		converter->next_clock = converter->clock_count - 1;
		return MPROF_OK;
	}
	status = copy_events_end(converter);
	if (status != MPROF_OK)
		return status;
	converter_set_clock(converter, block);
	return begin_block(converter, thread, base);
}

static mprof_status end_events(mprof_converter *converter, const mprof_block *block)
{
	if (!converter->merges_events)
		return mprof_writer_end_events(converter->writer);
	converter->has_open_block = 1;
	converter->open_thread = block->thread;
	return MPROF_OK;
}

/* Fetches a batch of events. Returns the status of the reader, or #MPROF_ERR_MEMORY. */
static mprof_status fetch_events(mprof_converter *converter, size_t *count)
{
	mprof_status status = mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, count);

	resolution_convert_events(&converter->resolution, converter->events, *count);
	if (converter->merge != NULL && !merge_translate_events(converter, *count))
		return MPROF_ERR_MEMORY;
	return status;
}

mprof_status copy_events(mprof_converter *converter, const mprof_block *block)
{
	thread_state *thread = converter_thread(converter, block->thread);
	mprof_status fetched;
	mprof_status status = MPROF_OK;
	uint64_t ignored;
	size_t count = 0;

	if (thread == NULL)
		return MPROF_ERR_MEMORY;
	if (converter->source.rules->has_stack_sections)
		status = copy_events_end(converter);
	if (status == MPROF_OK && converter->source.rules->has_stack_sections)
		status = converter_scan_definitions(converter, &ignored, &fetched);
	if (status == MPROF_OK)
		status = begin_events(converter, block, thread);
	if (status != MPROF_OK)
		return status;
	do {
		fetched = fetch_events(converter, &count);
		status = write_event_batch(converter, block, thread, count);
		if (status != MPROF_OK)
			return status;
	} while (fetched == MPROF_OK);
	status = end_events(converter, block);
	return status == MPROF_OK ? converter_read_failed(converter, fetched) : status;
}

/* Writes a batch of a TYPED block. Events whose type is not defined are left out: the type 0 would end the list. */
static mprof_status write_typed(mprof_converter *converter, const mprof_block *block, uint64_t *base, size_t count)
{
	mprof_event *events = converter->events;
	size_t kept = 0;
	mprof_status status;

	if (!copy_arguments_begin(converter, events, count))
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		events[kept] = events[i];
		copy_arguments(converter, &events[kept], &converter->details[kept]);
		if (events[kept].id != 0)
			kept++;
		else
			losses_leave_out_event(writer_losses(converter->writer), MPROF_EVENT_TYPED);
	}
	converter_set_clock(converter, block);
	status = mprof_writer_write_typed(converter->writer, block->thread, *base, events, kept);
	if (kept > 0)
		*base = events[kept - 1].counter;
	return status;
}

mprof_status copy_typed(mprof_converter *converter, const mprof_block *block)
{
	uint64_t base = block->as.samples.base_counter;
	mprof_status fetched;
	mprof_status status;
	int is_first = 1;
	size_t count = 0;

	do {
		fetched = fetch_events(converter, &count);
		status = count > 0 || is_first ? write_typed(converter, block, &base, count) : MPROF_OK;
		if (status != MPROF_OK)
			return status;
		is_first = 0;
	} while (fetched == MPROF_OK);
	return converter_read_failed(converter, fetched);
}
