/* SPDX-License-Identifier: MIT */
/* EVENTS blocks: what a thread did. */
#include "convert/copy_events.h"

#include "convert/clocks.h"
#include "convert/converter_internal.h"
#include "convert/copy_definitions.h"
#include "convert/copy_switches.h"
#include "convert/threads.h"

/*
 * Blocks are ended when they have so many bytes. Some dialects say the same in far more bytes than others, and readers
 * refuse what is too long.
 */
#define MOST_BLOCK_BYTES ((size_t)16 << 20)

/* What an event says of its call chain, in the terms of the copy. */
static void translate_detail(mprof_converter *converter, mprof_event *event, size_t place)
{
	const id_translation *stacks = &converter->ids[MPROF_RECORD_STACK];
	const uint32_t stack = event->more.detail->stack;

	if (stack <= stacks->same)
		return;
	converter->details[place] = *event->more.detail;
	converter->details[place].stack = id_translation_get(stacks, stack);
	event->more.detail = &converter->details[place];
}

static void translate_leave(mprof_converter *converter, thread_state *thread, mprof_event *event)
{
	if (open_calls_leave(thread_calls(thread), event->id) && converter->shortens_leaves &&
	    event->kind == MPROF_EVENT_METHOD_LEAVE) {
		event->kind = MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
		event->id = 0;
	}
}

/* The reader found out the method of an implicit leave. The copy has it as the log has it, if it can. */
static void translate_resolved_leave(const mprof_converter *converter, thread_state *thread, mprof_event *event)
{
	const uint32_t method = open_calls_leave_top(thread_calls(thread));

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
	const uint32_t method = open_calls_leave_top(thread_calls(thread));

	if (method == 0)
		return;
	event->kind = MPROF_EVENT_METHOD_LEAVE;
	event->id = method;
}

/* Whether what calls are open changes in another way than by a call. */
static int changes_stack(const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_THREAD_START:
	case MPROF_EVENT_THREAD_END:
	case MPROF_EVENT_RECORDING_RESUMED:
	case MPROF_EVENT_STACK_SWITCH:
	case MPROF_EVENT_STACK_END:
		return 1;
	default:
		return 0;
	}
}

/* Follows what methods a thread is in. Returns 0 if there is no memory. */
static int translate_call(mprof_converter *converter, thread_state *thread, mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		return open_calls_enter(thread_calls(thread), &converter->allocator, event->id);
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

/* Writes the events of a batch that were translated before one that changes the stack, and what that makes. */
static mprof_status put_before_switch(mprof_converter *converter, thread_state *thread, size_t count,
				      const mprof_event *event)
{
	mprof_status status = mprof_writer_write_events(converter->writer, converter->events, count, NULL);

	return status == MPROF_OK ? copy_switch(converter, thread, event) : status;
}

/*
 * Makes a batch that of the copy. Stack sections go: each event that has a chain says it, and the writer makes its own.
 */
static mprof_status translate_batch(mprof_converter *converter, thread_state *thread, size_t *count)
{
	const int follows_calls = converter->resolves_leaves || converter->shortens_leaves;
	mprof_event *events = converter->events;
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		const mprof_event event = events[i];

		if (event.kind == MPROF_EVENT_STACK_SECTION)
			continue;
		if (follows_calls && changes_stack(&event)) {
			mprof_status status = put_before_switch(converter, thread, kept, &event);

			if (status != MPROF_OK)
				return status;
			kept = 0;
		}
		events[kept] = event;
		if ((event.flags & MPROF_EVENT_FLAG_IMPLICIT) != 0)
			translate_resolved_leave(converter, thread, &events[kept]);
		else if (follows_calls && !translate_call(converter, thread, &events[kept]))
			return MPROF_ERR_MEMORY;
		if (events[kept].more.detail != NULL)
			translate_detail(converter, &events[kept], kept);
		kept++;
	}
	*count = kept;
	return MPROF_OK;
}

/* The end of one block and the begin of another one, which goes on from the last event. */
static mprof_status split_block(mprof_converter *converter, const mprof_block *block, const thread_state *thread)
{
	mprof_status status = mprof_writer_end_events(converter->writer);

	if (status != MPROF_OK)
		return status;
	converter_set_clock(converter, block);
	return mprof_writer_begin_events(converter->writer, thread->thread, thread->last_counter);
}

static mprof_status put_batch(mprof_converter *converter, const mprof_block *block, thread_state *thread, size_t count)
{
	const uint64_t last_counter = count > 0 ? converter->events[count - 1].counter : thread->last_counter;
	mprof_status status = translate_batch(converter, thread, &count);

	if (status == MPROF_OK && writer_block_length(converter->writer) > MOST_BLOCK_BYTES)
		status = split_block(converter, block, thread);
	if (status == MPROF_OK)
		status = mprof_writer_write_events(converter->writer, converter->events, count, NULL);
	thread->last_counter = last_counter;
	return status;
}

/*
 * A base counter that comes again does so because the thread's last block was written before its buffer was full: the
 * times go on from that block's last event. Where that is not the rule, and for programs that do not know it, the copy
 * says the base that is meant.
 */
static uint64_t take_base(thread_state *thread, const mprof_block *block)
{
	const int is_repeated = thread->has_block && thread->base_counter == block->as.events.base_counter;
	const uint64_t base = is_repeated ? thread->last_counter : block->as.events.base_counter;

	thread->has_block = 1;
	thread->base_counter = block->as.events.base_counter;
	thread->last_counter = base;
	return base;
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
		status = converter_scan_definitions(converter, &ignored, &fetched);
	converter_set_clock(converter, block);
	if (status == MPROF_OK)
		status = mprof_writer_begin_events(converter->writer, block->thread, take_base(thread, block));
	if (status != MPROF_OK)
		return status;
	do {
		fetched = mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, &count);
		status = put_batch(converter, block, thread, count);
		if (status != MPROF_OK)
			return status;
	} while (fetched == MPROF_OK);
	status = mprof_writer_end_events(converter->writer);
	return status == MPROF_OK ? converter_read_failed(converter, fetched) : status;
}
