/* SPDX-License-Identifier: MIT */
/* Writes the events of a buffer as an EVENTS block, or counts them as lost. */
#include "recorder/drain_buffer.h"

#include "recorder/salvage_commit.h"
#include "recorder/slots.h"

/* Writes the first \p count of recorder_drain::events as a block. Returns 0 if they are not in the log. */
static int write_events(recorder_drain *drain, uint64_t thread_id, uint64_t base_counter, size_t count)
{
	recorder_output *output = drain->output;
	mprof_status status;

	stacks_write(&drain->stacks);
	if (!output_is_writing(output))
		return 0;
	status = mprof_writer_begin_events(output->writer, thread_id, base_counter);
	if (status == MPROF_OK)
		status = mprof_writer_write_events(output->writer, drain->events, count, NULL);
	if (status == MPROF_OK)
		status = mprof_writer_end_events(output->writer);
	output_note_status(output, status);
	if (status == MPROF_OK)
		output_note_events(output, count);
	return status == MPROF_OK;
}

/* Writes the published slots as one block or more, or counts them as lost. */
static void write_slots(recorder_drain *drain, mprof_thread *thread, const event_slot *slots, uint32_t count)
{
	recorder_output *output = drain->output;
	uint32_t taken;

	if (drain->order_has_failed) {
		thread_count_lost(thread, output, MPROF_LOSS_NO_MEMORY, slots_count_events(slots, count));
		return;
	}
	for (; count > 0; slots += taken, count -= taken) {
		uint64_t base_counter = slots_base_counter(thread, slots);
		size_t converted;

		if (!output_is_writing(output)) {
			thread_count_lost(thread, output, output_loss_cause(output), slots_count_events(slots, count));
			return;
		}
		converted = slots_convert(drain, thread, slots, count, &taken);
		if (!write_events(drain, thread->id, base_counter, converted))
			thread_count_lost(thread, output, output_loss_cause(output), converted);
	}
}

void drain_buffer(recorder_drain *drain, mprof_thread *thread, event_buffer *buffer, uint32_t published)
{
	const event_slot *slots = buffer->slots + buffer->drained;
	uint32_t count = published - buffer->drained;

	if (count == 0)
		return;
	/*
	 * The base counter of the first block is the counter of the first event: its delta is then 0, and a block that
	 * consists of allocations alone still has a time.
	 */
	if (buffer->drained == 0)
		thread->drain.last_counter = buffer->start_counter;
	buffer->drained = published;
	write_slots(drain, thread, slots, count);
	if (thread->drain.last_counter > drain->latest_counter)
		drain->latest_counter = thread->drain.last_counter;
	salvage_commit_buffer(drain, buffer, thread->drain.last_counter);
}
