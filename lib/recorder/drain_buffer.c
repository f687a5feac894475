/* SPDX-License-Identifier: MIT */
/* Writes the events of a buffer. */
#include "recorder/drain_buffer.h"

#include "recorder/salvage_commit.h"
#include "recorder/slots.h"
#include "recorder/slots_collect.h"

/* While threads wait, a block holds at most an eighth of the buffers after which they are woken. */
#define MAX_HELD_DIVISOR 8

/* If earlier blocks may be evicted, a block begins with a switch to the stack that the thread is on. */
static void repeat_switch(const recorder_drain *drain, open_block *block, const mprof_thread *thread)
{
	event_collector *events = &block->events;
	mprof_event event;

	if (slots_repeat_switch(drain, thread, events->base_counter, &event) == &event)
		return;
	block->status = MPROF_ERR_MEMORY;
	if (event_columns_reserve(&events->columns, 1))
		block->status = event_columns_add_event(&events->columns, &events->encoder, &event);
}

/* The calls that readers have open: those of the shadow stack, which follows the events that are in the log. */
static void copy_calls(block_calls *calls, mprof_thread *thread)
{
	const shadow_stack *stack = thread_stacks_current(&thread->drain.stacks);

	calls->owner = thread->serial;
	calls->is_known = !shadow_stack_is_unknown(stack) && stack->calls.depth <= INDEX_MAX_FRAMES;
	calls->depth = (uint32_t)shadow_stack_copy(stack, calls->methods, INDEX_MAX_FRAMES);
}

void block_begin(const recorder_drain *drain, open_block *block, mprof_thread *thread, const event_slot *slots)
{
	block->start_counter = slots_base_counter(thread, slots);
	event_collector_begin(&block->events, drain->output->writer, thread->id,
			      output_counter(drain->output, block->start_counter));
	block->thread = thread;
	block->is_encoded = 0;
	block->status = MPROF_OK;
	if (drain->output->has_index)
		copy_calls(&block->events.calls, thread);
	/* The IDs in the caches are valid until the meaning of a key changes. */
	if (block->generation != drain->keys.generation) {
		key_cache_clear(&block->methods);
		key_cache_clear(&block->classes);
		block->generation = drain->keys.generation;
	}
	repeat_switch(drain, block, thread);
}

/* Whether the next count slots of a thread, in another buffer, are added to a block. */
static int block_may_extend(const recorder_drain *drain, const open_block *block, const mprof_thread *thread,
			    uint32_t count)
{
	if (block->thread != thread || block->events.columns.counts[EVENT_COLUMN_SYMBOLS] + count > block->most_events)
		return 0;
	/*
	 * Allocations have the time of the event before them: without one in the last buffer, the base counter of a new
	 * block is closer.
	 */
	if (block->events.encoder.last_counter == block->buffer_counter)
		return 0;
	/*
	 * Threads that wait get the buffers that are held. They are woken for many buffers at a time, so a few of these
	 * do not delay them; without any, all blocks would be short.
	 */
	return block->held_count == 0 || block->held_count < drain->shared->wake_buffers / MAX_HELD_DIVISOR ||
	       atomic_load(&drain->shared->waiting) == 0;
}

/* Notes that all of a full buffer is in a block, and gives it back unless recovery needs it until the commit. */
static void block_take_buffer(const recorder_drain *drain, open_block *block, event_buffer *buffer)
{
	/* Without salvage, nothing needs the slots after their conversion. */
	if (block->last != buffer || drain->shared->salvage.header == NULL) {
		if (block->last == buffer)
			block->last = NULL;
		recorder_give_back(drain->shared, buffer);
		return;
	}
	buffer->next_full = block->held;
	block->held = buffer;
	block->held_count++;
}

void block_encode(open_block *block)
{
	const shadow_stack *stack = thread_stacks_current(&block->thread->drain.stacks);

	block->events.calls.is_empty_after = stack->calls.depth == 0 && !shadow_stack_is_unknown(stack);
	block->events.calls.searched = stack->searched;
	if (!block->is_encoded && block->status == MPROF_OK)
		block->status = event_collector_encode(&block->events);
	block->is_encoded = 1;
}

/* Adds the rest of a buffer. Returns 0 if a slot is left for the writer thread. */
static int fill_from(const recorder_drain *drain, open_block *block, mprof_thread *thread, event_buffer *buffer,
		     uint32_t *slots)
{
	uint32_t left = atomic_load_explicit(&buffer->published, memory_order_acquire) - buffer->drained;
	uint32_t taken;

	if (left > EVENT_COLUMNS_MAX_EVENTS - block->events.columns.counts[EVENT_COLUMN_SYMBOLS] ||
	    !event_columns_reserve(&block->events.columns, left))
		return 0;
	block->last = buffer;
	block->buffer_counter = block->events.encoder.last_counter;
	taken = slots_collect_frequent(drain, block, thread, buffer->slots + buffer->drained, left);
	buffer->drained += taken;
	*slots += taken;
	return taken == left;
}

fill_end block_fill(const recorder_drain *drain, open_block *block, mprof_thread *thread, uint32_t *slots)
{
	event_buffer *buffer;

	*slots = 0;
	while ((buffer = thread->drain.round.full_first) != NULL) {
		uint32_t left = atomic_load_explicit(&buffer->published, memory_order_acquire) - buffer->drained;

		if (left > 0 && block->thread != NULL && !block_may_extend(drain, block, thread, left))
			break;
		if (left > 0 && buffer->drained == 0)
			thread->drain.last_counter = buffer->start_counter;
		if (left > 0 && block->thread == NULL)
			block_begin(drain, block, thread, buffer->slots + buffer->drained);
		if (left > 0 && !fill_from(drain, block, thread, buffer, slots))
			return FILL_SLOW;
		thread->drain.round.full_first = buffer->next_full;
		thread->drain.next_sequence++;
		block_take_buffer(drain, block, buffer);
	}
	if (block->thread != NULL)
		block_encode(block);
	return FILL_BLOCK;
}

/* Writes the first \p count of recorder_drain::events as a block. Returns 0 if they are not in the log. */
static int write_events(recorder_drain *drain, uint64_t thread_id, uint64_t base_counter, size_t count)
{
	recorder_output *output = drain->output;
	mprof_status status;

	stacks_write(&drain->stacks);
	if (!output_is_writing(output))
		return 0;
	output_convert_counters(output, drain->events, count);
	status = mprof_writer_begin_events(output->writer, thread_id, output_counter(output, base_counter));
	if (status == MPROF_OK)
		status = mprof_writer_write_events(output->writer, drain->events, count, NULL);
	if (status == MPROF_OK)
		status = mprof_writer_end_events(output->writer);
	output_note_status(output, status);
	if (status == MPROF_OK)
		output_note_events(output, count);
	return status == MPROF_OK;
}

/* Writes slots as one block of rows or more. */
static void write_rows(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, uint32_t count)
{
	uint32_t taken;

	for (; count > 0; slots += taken, count -= taken) {
		uint64_t base_counter = slots_base_counter(thread, slots);
		size_t converted;

		if (!output_is_writing(drain->output)) {
			thread_count_lost(thread, drain->output, output_loss_cause(drain->output),
					  slots_count_events(slots, count));
			return;
		}
		converted = slots_convert(drain, thread, slots, count, &taken);
		if (!write_events(drain, thread->id, base_counter, converted))
			thread_count_lost(thread, drain->output, output_loss_cause(drain->output), converted);
	}
}

/* Writes the events of a block, or counts them as lost. */
static void write_columns(recorder_drain *drain, open_block *block)
{
	recorder_output *output = drain->output;
	uint64_t count = block->events.encoder.written;
	int is_written = 0;

	if (count == 0)
		return;
	stacks_write(&drain->stacks);
	if (output_is_writing(output)) {
		block_encode(block);
		if (block->status == MPROF_OK)
			block->status = writer_put_collected(output->writer, &block->events);
		else
			writer_refuse(output->writer, block->status, "out of memory for an EVENTS block");
		output_note_status(output, block->status);
		is_written = block->status == MPROF_OK;
	}
	if (is_written)
		output_note_events(output, count);
	else
		thread_count_lost(block->thread, output, output_loss_cause(output), count);
}

void drain_end_block(recorder_drain *drain, open_block *block)
{
	mprof_thread *thread = block->thread;

	if (thread == NULL)
		return;
	write_columns(drain, block);
	if (thread->drain.last_counter > drain->latest_counter)
		drain->latest_counter = thread->drain.last_counter;
	salvage_commit_buffer(drain, block->last, thread->drain.last_counter);
	block->thread = NULL;
	block->last = NULL;
	block->held_count = 0;
	while (block->held != NULL) {
		event_buffer *next = block->held->next_full;

		recorder_give_back(drain->shared, block->held);
		block->held = next;
	}
}

/* Adds the slots of a buffer to a block of their thread, and writes it where it must end. */
static void add_columns(recorder_drain *drain, open_block *block, mprof_thread *thread, event_buffer *buffer,
			uint32_t published)
{
	recorder_output *output = drain->output;
	mprof_status status = MPROF_OK;

	while (buffer->drained < published) {
		const event_slot *slots = buffer->slots + buffer->drained;
		uint32_t count = published - buffer->drained;
		uint32_t taken = 0;

		if (block->thread == NULL)
			block_begin(drain, block, thread, slots);
		block->last = buffer;
		block->buffer_counter = block->events.encoder.last_counter;
		if (!output_is_writing(output)) {
			thread_count_lost(thread, output, output_loss_cause(output), slots_count_events(slots, count));
			buffer->drained = published;
			return;
		}
		status = block->status;
		if (status == MPROF_OK && !event_columns_reserve(&block->events.columns, count))
			status = MPROF_ERR_MEMORY;
		if (status == MPROF_OK)
			status = slots_collect(drain, block, thread, slots, count, &taken);
		if (status != MPROF_OK)
			output_note_status(output, writer_refuse(output->writer, status, "cannot add an event"));
		buffer->drained += taken;
		if (buffer->drained < published)
			drain_end_block(drain, block);
	}
}

/* Adds the slots of a buffer to a block, or writes them. */
static void add_buffer(recorder_drain *drain, open_block *block, mprof_thread *thread, event_buffer *buffer,
		       uint32_t published)
{
	const event_slot *slots = buffer->slots + buffer->drained;
	uint32_t count = published - buffer->drained;
	int has_columns = writer_has_columns(drain->output->writer) && !drain->order_has_failed;

	if (count == 0)
		return;
	/* A part of the buffer may be in the block already. */
	if (block->last != buffer && !block_may_extend(drain, block, thread, count))
		drain_end_block(drain, block);
	/*
	 * The base counter of the first block is the counter of the first event: its delta is then 0, and a block that
	 * consists of allocations alone still has a time.
	 */
	if (buffer->drained == 0)
		thread->drain.last_counter = buffer->start_counter;
	if (has_columns) {
		add_columns(drain, block, thread, buffer, published);
		return;
	}
	buffer->drained = published;
	if (drain->order_has_failed)
		thread_count_lost(thread, drain->output, MPROF_LOSS_NO_MEMORY, slots_count_events(slots, count));
	else
		write_rows(drain, thread, slots, count);
	if (thread->drain.last_counter > drain->latest_counter)
		drain->latest_counter = thread->drain.last_counter;
	salvage_commit_buffer(drain, buffer, thread->drain.last_counter);
}

void drain_buffer(recorder_drain *drain, mprof_thread *thread, event_buffer *buffer, uint32_t published)
{
	add_buffer(drain, &drain->block, thread, buffer, published);
	drain_end_block(drain, &drain->block);
}

void drain_full_buffer(recorder_drain *drain, open_block *block, event_buffer *buffer)
{
	mprof_thread *thread = buffer->owner;

	thread->drain.round.full_first = buffer->next_full;
	add_buffer(drain, block, thread, buffer, atomic_load_explicit(&buffer->published, memory_order_acquire));
	thread->drain.next_sequence++;
	block_take_buffer(drain, block, buffer);
}
