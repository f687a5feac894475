/* SPDX-License-Identifier: MIT */
#include "sampled_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_samples(sampled_log *sampled, const mprof_block *block)
{
	mprof_event events[64];
	mprof_status status;
	size_t count;

	do {
		status = mprof_reader_next_events(sampled->reader, events, 64, &count);
		if (sampled->count + count > sampled->capacity) {
			sampled->capacity = (sampled->count + count) * 2;
			sampled->samples = realloc(sampled->samples, sampled->capacity * sizeof(*sampled->samples));
			cr_assert_not_null(sampled->samples);
		}
		for (size_t i = 0; i < count; i++) {
			cr_assert_eq(events[i].kind, MPROF_EVENT_SAMPLE);
			sampled->samples[sampled->count++] =
				(read_sample){block->thread, events[i].counter, (uint32_t)events[i].value};
		}
	} while (status == MPROF_OK);
	cr_assert_eq(status, MPROF_END);
}

void sampled_log_read(sampled_log *sampled, const recorded_log *log)
{
	mprof_block block;
	mprof_status status;

	memset(sampled, 0, sizeof(*sampled));
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &sampled->reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(sampled->reader, &block)) == MPROF_OK) {
		sampled->blocks[block.kind]++;
		if (block.kind == MPROF_BLOCK_SAMPLES)
			read_samples(sampled, &block);
		for (int cause = 0; block.kind == MPROF_BLOCK_LOST && cause < LOSS_CAUSE_COUNT; cause++)
			sampled->lost[cause] += block.as.lost.counts[cause];
	}
	cr_assert_eq(status, MPROF_END, "%s", mprof_status_get_text(status));
}

void sampled_log_free(sampled_log *sampled)
{
	mprof_reader_destroy(sampled->reader);
	free(sampled->samples);
}

mprof_record sampled_log_record(const sampled_log *sampled, mprof_record_kind kind, uint32_t id)
{
	mprof_record record;

	cr_assert_eq(mprof_reader_lookup_record(sampled->reader, kind, id, &record, sizeof(record)), MPROF_OK,
		     "record %d %u", (int)kind, (unsigned)id);
	return record;
}

static const char *frame_name(const sampled_log *sampled, const mprof_stack_frame *frame)
{
	mprof_mapping method;
	mprof_record location;

	if (frame->is_native) {
		location = sampled_log_record(sampled, MPROF_RECORD_LOCATION, frame->id);
		if (location.as.location.function == 0)
			return "?";
		return sampled_log_record(sampled, MPROF_RECORD_FUNCTION, location.as.location.function)
			.as.function.name;
	}
	if (frame->id == 0)
		return "-";
	cr_assert_eq(mprof_reader_lookup_method(sampled->reader, frame->id, &method, sizeof(method)), MPROF_OK);
	return method.name;
}

const char *sampled_log_chain(const sampled_log *sampled, uint32_t stack)
{
	static char text[65536];
	mprof_stack_frame frames[2 * MPROF_STACK_MAX];
	size_t length = 0;
	size_t count;

	cr_assert_eq(
		mprof_reader_lookup_stack(sampled->reader, stack, frames, sizeof(*frames), 2 * MPROF_STACK_MAX, &count),
		MPROF_OK);
	cr_assert_leq(count, 2 * MPROF_STACK_MAX);
	text[0] = '\0';
	for (size_t i = 0; i < count && length < sizeof(text); i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s", i > 0 ? " " : "",
					   frame_name(sampled, &frames[i]));
	return text;
}

mprof_record sampled_log_location(const sampled_log *sampled, const read_sample *sample)
{
	mprof_stack_frame frame;
	uint32_t caller;

	cr_assert_eq(mprof_reader_lookup_caller(sampled->reader, sample->stack, &frame, sizeof(frame), &caller),
		     MPROF_OK);
	cr_assert(frame.is_native);
	return sampled_log_record(sampled, MPROF_RECORD_LOCATION, frame.id);
}
