/* SPDX-License-Identifier: MIT */
/* Keeps the status of the log that is written, and counts and reports losses. */
#include "recorder/tables/output.h"

#include "writer/writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void output_note_status(recorder_output *output, mprof_status status)
{
	if (status == MPROF_OK || output->status != MPROF_OK)
		return;
	/* What the limit refused is counted by the caller that wrote it. The log can still be completed. */
	if (status == MPROF_ERR_LIMIT && writer_is_full(output->writer)) {
		output->limit_reached = 1;
		return;
	}
	output->status = status;
	output->error.struct_size = sizeof(output->error);
	mprof_writer_get_error(output->writer, &output->error);
}

void output_convert_counters(const recorder_output *output, mprof_event *events, size_t count)
{
	if (output->counter_shift == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &events[i];
		const uint64_t counter = output_counter(output, event->counter);

		/* The start of a pause is rounded like all counters, so it stays before or after the same events. */
		if (event->kind == MPROF_EVENT_RECORDING_RESUMED)
			event->value = counter - output_counter(output, event->counter - event->value);
		event->counter = counter;
	}
}

int output_is_writing(const recorder_output *output)
{
	return output->status == MPROF_OK && !output->limit_reached;
}

mprof_loss_cause output_loss_cause(const recorder_output *output)
{
	return output->status != MPROF_OK ? MPROF_LOSS_WRITE_FAILED : MPROF_LOSS_LIMIT;
}

void output_count_lost(recorder_output *output, mprof_loss_cause cause, uint64_t count)
{
	output->lost[cause] += count;
	output->lost_unreported[cause] += count;
}

/* Not strerror(), whose text depends on the language of the program. */
static const char *cause_of(int system_error, char number[24])
{
	switch (system_error) {
	case ENOSPC:
		return "No space left on device";
	case EDQUOT:
		return "Disk quota exceeded";
	case EFBIG:
		return "File too large";
	case EIO:
		return "Input/output error";
	default:
		snprintf(number, 24, "error %d", system_error);
		return number;
	}
}

static void end_after_error(recorder_output *output)
{
	char number[24];
	const mprof_property cause = {"write-error", cause_of(output->error.system_error, number)};
	uint64_t removed;
	mprof_status status;

	status = writer_end_after_error(output->writer, &cause, output->lost_unreported, LOSS_CAUSE_COUNT,
					MPROF_LOSS_WRITE_FAILED, &removed);
	output->lost[MPROF_LOSS_WRITE_FAILED] += removed;
	if (status == MPROF_OK)
		memset(output->lost_unreported, 0, sizeof(output->lost_unreported));
}

void output_close(recorder_output *output)
{
	if (output->status == MPROF_OK) {
		output->status = mprof_writer_close(output->writer);
		mprof_writer_get_error(output->writer, &output->error);
	}
	if (output->status == MPROF_ERR_IO)
		end_after_error(output);
}

void output_note_events(recorder_output *output, uint64_t count)
{
	if (output->ring != NULL)
		block_ring_note_events(output->ring, count);
}

void output_write_records(recorder_output *output, mprof_block_kind block, const mprof_record *records, size_t count)
{
	if (count > 0 && output_is_writing(output))
		output_note_status(
			output, mprof_writer_write_records(output->writer, block, 0, records, sizeof(*records), count));
}

void output_write_losses(recorder_output *output, uint64_t thread_id, uint64_t *unreported, int is_last)
{
	uint64_t any = 0;
	mprof_status status;

	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		any |= unreported[cause];
	if (any == 0 || output->status != MPROF_OK || (output->limit_reported && !is_last))
		return;
	status = mprof_writer_write_losses(output->writer, thread_id, unreported, LOSS_CAUSE_COUNT);
	output_note_status(output, status);
	if (status == MPROF_OK)
		memset(unreported, 0, LOSS_CAUSE_COUNT * sizeof(*unreported));
}
