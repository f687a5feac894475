/* SPDX-License-Identifier: MIT */
/* Writes the events of buffers as EVENTS blocks, or counts them as lost. */
#include "recorder/drain_buffer.h"

#include "recorder/block_fill.h"
#include "recorder/salvage_commit.h"
#include "recorder/slots.h"
#include "recorder/slots_collect.h"

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
