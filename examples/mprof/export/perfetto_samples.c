/* SPDX-License-Identifier: MIT */
/* Writes samples as StackSample packets of Perfetto, with call stacks that are defined once. */
#include "export/perfetto_samples.h"

/* InternedData */
enum { INTERNED_FUNCTIONS = 5, INTERNED_FRAMES = 6, INTERNED_STACKS = 7 };

/* InternedString, Frame and Callstack */
enum { INTERNED_ID = 1, STRING_TEXT = 2, FRAME_FUNCTION = 2, STACK_FRAMES = 2 };

/* StackSample */
enum { SAMPLE_TASK = 1, SAMPLE_STACK = 6, SAMPLE_COUNTER = 9, SAMPLE_WEIGHT = 11 };

enum { TASK_PID = 2, TASK_TID = 3, COUNTER_NAME = 2, COUNTER_UNIT = 3, UNIT_COUNT = 9 };

/* The IDs of call stacks that consist of one frame without an ID of a call stack are above those of the others. */
#define SINGLE_FRAME (UINT64_C(1) << 40)

static const char unknown_frame[] = "(unknown)";

/* An ID of 0 means none. */
static uint64_t frame_number(const mprof_stack_frame *frame)
{
	return ((uint64_t)frame->id << 1 | (frame->is_native != 0)) + 1;
}

static void define_frame(perfetto_samples *samples, perfetto_writer *writer, const event_walk *walk,
			 const mprof_stack_frame *frame)
{
	const int added = id_set_add(frame->is_native ? &samples->locations : &samples->methods, frame->id);
	const char *name;

	writer->has_failed |= added < 0;
	if (added <= 0)
		return;
	name = names_frame(walk->input.names, frame);
	protobuf_clear(&writer->part);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, frame_number(frame));
	protobuf_text(&writer->inner, STRING_TEXT, perfetto_text(writer, name != NULL ? name : unknown_frame));
	protobuf_add(&writer->part, INTERNED_FUNCTIONS, &writer->inner);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, frame_number(frame));
	protobuf_number(&writer->inner, FRAME_FUNCTION, frame_number(frame));
	protobuf_add(&writer->part, INTERNED_FRAMES, &writer->inner);
	protobuf_clear(&writer->packet);
	protobuf_add(&writer->packet, PACKET_INTERNED_DATA, &writer->part);
	perfetto_end_packet(writer);
}

/* Defines a call stack, whose innermost frame is the first one. Perfetto's first frame is the outermost. */
static void define_stack(perfetto_samples *samples, perfetto_writer *writer, const event_walk *walk, uint64_t number,
			 const mprof_stack_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		define_frame(samples, writer, walk, &frames[i]);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, number);
	for (size_t i = count; i > 0; i--)
		protobuf_number(&writer->inner, STACK_FRAMES, frame_number(&frames[i - 1]));
	protobuf_clear(&writer->part);
	protobuf_add(&writer->part, INTERNED_STACKS, &writer->inner);
	protobuf_clear(&writer->packet);
	protobuf_add(&writer->packet, PACKET_INTERNED_DATA, &writer->part);
	perfetto_end_packet(writer);
}

/* Defines the call stack of a sample if it is new, and returns its number. */
static uint64_t stack_of(perfetto_samples *samples, perfetto_writer *writer, const event_walk *walk,
			 const mprof_event *event)
{
	const mprof_stack_frame single = {.id = event->flags & MPROF_EVENT_FLAG_NATIVE ? 0 : event->id,
					  .is_native = (event->flags & MPROF_EVENT_FLAG_NATIVE) != 0};
	const mprof_stack_frame *frames = &single;
	uint64_t number = SINGLE_FRAME + frame_number(&single);
	id_set *known = single.is_native ? &samples->location_stacks : &samples->method_stacks;
	size_t count = 1;
	int added;

	if (event->value != 0) {
		number = event->value;
		known = &samples->stacks;
	}
	added = id_set_add(known, event->value != 0 ? (uint32_t)event->value : single.id);
	writer->has_failed |= added < 0;
	if (added <= 0)
		return number;
	if (event->value != 0)
		count = names_stack(walk->input.names, (uint32_t)event->value, &frames);
	define_stack(samples, writer, walk, number, frames, count);
	return number;
}

void perfetto_write_sample(perfetto_samples *samples, perfetto_writer *writer, const event_walk *walk,
			   const mprof_event *event, uint64_t pid, uint64_t tid, uint64_t time)
{
	const uint64_t stack = stack_of(samples, writer, walk, event);

	protobuf_clear(&writer->part);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, TASK_PID, pid);
	protobuf_number(&writer->inner, TASK_TID, tid);
	protobuf_add(&writer->part, SAMPLE_TASK, &writer->inner);
	protobuf_number(&writer->part, SAMPLE_STACK, stack);
	protobuf_clear(&writer->inner);
	protobuf_text(&writer->inner, COUNTER_NAME, "samples");
	protobuf_number(&writer->inner, COUNTER_UNIT, UNIT_COUNT);
	protobuf_add(&writer->part, SAMPLE_COUNTER, &writer->inner);
	protobuf_number(&writer->part, SAMPLE_WEIGHT, event->more.detail != NULL ? event->more.detail->samples : 1);
	perfetto_begin_packet(writer, time);
	protobuf_add(&writer->packet, PACKET_STACK_SAMPLE, &writer->part);
	perfetto_end_packet(writer);
}

void perfetto_samples_release(perfetto_samples *samples)
{
	id_set_clear(&samples->methods);
	id_set_clear(&samples->locations);
	id_set_clear(&samples->stacks);
	id_set_clear(&samples->method_stacks);
	id_set_clear(&samples->location_stacks);
}
