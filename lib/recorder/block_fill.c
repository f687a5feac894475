/* SPDX-License-Identifier: MIT */
/* Begins, extends and encodes blocks in columns. */
#include "recorder/block_fill.h"

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

int block_may_extend(const recorder_drain *drain, const open_block *block, const mprof_thread *thread, uint32_t count)
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

void block_take_buffer(const recorder_drain *drain, open_block *block, event_buffer *buffer)
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
