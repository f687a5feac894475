/* SPDX-License-Identifier: MIT */
/* Writes samples as StackSample packets of Perfetto, with call stacks that are defined once. */
#include "export/perfetto_samples.h"

#include "export/stack_frames.h"

#include <stdlib.h>
#include <string.h>

/* InternedData */
enum {
	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES = 6,
	INTERNED_STACKS = 7,
	INTERNED_MAPPING_PATHS = 17,
	INTERNED_SOURCE_PATHS = 18,
	INTERNED_MAPPINGS = 19
};

/* InternedString, Mapping and Callstack */
enum { INTERNED_ID = 1, STRING_TEXT = 2, MAPPING_PATH = 7, STACK_FRAMES = 2 };

/* Frame */
enum { FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_ADDRESS = 4, FRAME_SOURCE = 5, FRAME_LINE = 6, FRAME_KIND = 7 };

/* Values of Frame.Kind */
enum { KIND_UNKNOWN = 0, KIND_NATIVE = 1, KIND_JIT = 4, KIND_RUNTIME = 6 };

/* StackSample */
enum { SAMPLE_TASK = 1, SAMPLE_STACK = 6, SAMPLE_COUNTER = 9, SAMPLE_WEIGHT = 11 };

enum { TASK_PID = 2, TASK_TID = 3, COUNTER_NAME = 2, COUNTER_UNIT = 3, UNIT_NANOSECONDS = 1, UNIT_COUNT = 9 };

#define KEY(field, type) ((field) << 3 | (type))

/* The keys of samples without a call stack are above the IDs of call stacks. */
#define SINGLE_FRAME (UINT64_C(1) << 40)
#define SINGLE_LOCATION (UINT64_C(1) << 41)

/* An entry of perfetto_samples::stacks. */
typedef struct stack_entry {
	uint64_t stack;
	uint64_t node; /* From 1. */
} stack_entry;

int perfetto_samples_init(perfetto_samples *samples, const log_report *report, uint32_t max_depth)
{
	memset(samples, 0, sizeof(*samples));
	samples->report = report;
	samples->stacks.value_size = sizeof(stack_entry) - sizeof(uint64_t);
	samples->has_time = export_value_exists(report, EXPORT_CPU);
	return stack_nodes_init(&samples->tree, EXPORT_SAMPLES, max_depth);
}

static void write_interned(perfetto_writer *writer)
{
	protobuf_clear(&writer->packet);
	protobuf_add(&writer->packet, PACKET_INTERNED_DATA, &writer->part);
	perfetto_end_packet(writer);
}

static void add_string(perfetto_writer *writer, uint32_t field, uint64_t id, const char *text)
{
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, id);
	protobuf_text(&writer->inner, STRING_TEXT, perfetto_text(writer, text));
	protobuf_add(&writer->part, field, &writer->inner);
}

/* The number of a path, which is defined if it is new: as a source file, and as a module and its path. */
static uint64_t define_path(perfetto_samples *samples, perfetto_writer *writer, const char *path)
{
	uint32_t index = 0;
	int added;

	if (path == NULL)
		return 0;
	added = intern_add(&samples->paths, path, strlen(path) + 1, &index);
	writer->has_failed |= added < 0;
	if (added <= 0)
		return (uint64_t)index + 1;
	protobuf_clear(&writer->part);
	add_string(writer, INTERNED_SOURCE_PATHS, (uint64_t)index + 1, path);
	/* The reader puts a slash before each part of the path of a module. */
	add_string(writer, INTERNED_MAPPING_PATHS, (uint64_t)index + 1, path[0] == '/' ? path + 1 : path);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, (uint64_t)index + 1);
	protobuf_number(&writer->inner, MAPPING_PATH, (uint64_t)index + 1);
	protobuf_add(&writer->part, INTERNED_MAPPINGS, &writer->inner);
	write_interned(writer);
	return (uint64_t)index + 1;
}

static uint64_t kind_of(const stack_frame *frame)
{
	if ((frame->flags & STACK_FRAME_RUNTIME) != 0)
		return KIND_RUNTIME;
	switch (frame->kind) {
	case STACK_FRAME_METHOD:
		return KIND_JIT;
	case STACK_FRAME_FUNCTION:
	case STACK_FRAME_MODULE:
	case STACK_FRAME_LOCATION:
		return KIND_NATIVE;
	default:
		return KIND_UNKNOWN;
	}
}

static void define_frame(perfetto_samples *samples, perfetto_writer *writer, uint32_t index)
{
	const int added = id_set_add(&samples->frames, index);
	const stack_frame *frame = &samples->tree.frames[index];
	uint64_t mapping;
	uint64_t source;

	writer->has_failed |= added < 0;
	if (added <= 0)
		return;
	mapping = define_path(samples, writer, frame->kind == STACK_FRAME_METHOD ? NULL : frame->module);
	source = define_path(samples, writer, frame->file);
	protobuf_clear(&writer->part);
	add_string(writer, INTERNED_FUNCTIONS, (uint64_t)index + 1, frame->name);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, (uint64_t)index + 1);
	protobuf_number(&writer->inner, FRAME_FUNCTION, (uint64_t)index + 1);
	if (mapping != 0) {
		protobuf_number(&writer->inner, FRAME_MAPPING, mapping);
		/* A frame with a module needs an address in it. The reader compares the names, too. */
		protobuf_value(&writer->inner, KEY(FRAME_ADDRESS, 0));
		protobuf_value(&writer->inner, 0);
	}
	protobuf_number(&writer->inner, FRAME_SOURCE, source);
	protobuf_number(&writer->inner, FRAME_LINE, source != 0 ? frame->line : 0);
	protobuf_number(&writer->inner, FRAME_KIND, kind_of(frame));
	protobuf_add(&writer->part, INTERNED_FRAMES, &writer->inner);
	write_interned(writer);
}

/* Defines the call stack of a node. Perfetto's first frame is the outermost. */
static void define_stack(perfetto_samples *samples, perfetto_writer *writer, uint32_t node)
{
	const stack_tree *tree = &samples->tree;
	const int added = id_set_add(&samples->nodes, node);
	uint32_t frames[1];
	uint32_t depth = tree->nodes[node].depth;
	uint32_t *path = frames;

	writer->has_failed |= added < 0;
	if (added <= 0)
		return;
	if (depth > 1)
		path = malloc(depth * sizeof(*path));
	if (path == NULL) {
		writer->has_failed = 1;
		return;
	}
	for (uint32_t i = depth, at = node; i > 0; i--, at = tree->nodes[at].parent) {
		path[i - 1] = tree->nodes[at].frame;
		define_frame(samples, writer, path[i - 1]);
	}
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, INTERNED_ID, (uint64_t)node + 1);
	for (uint32_t i = 0; i < depth; i++)
		protobuf_number(&writer->inner, STACK_FRAMES, (uint64_t)path[i] + 1);
	protobuf_clear(&writer->part);
	protobuf_add(&writer->part, INTERNED_STACKS, &writer->inner);
	write_interned(writer);
	if (path != frames)
		free(path);
}

/* Adds the frames of a sample to the tree. Returns 0 if out of memory. */
static int add_frames(perfetto_samples *samples, const mprof_event *event, uint32_t *node)
{
	const mprof_stack_frame single = {.id = event->flags & MPROF_EVENT_FLAG_NATIVE ? 0 : event->id,
					  .is_native = (event->flags & MPROF_EVENT_FLAG_NATIVE) != 0};
	const mprof_stack_frame *frames = &single;
	size_t count = 1;
	uint32_t note;

	if (event->value != 0)
		count = names_stack(samples->report->input.names, (uint32_t)event->value, &frames);
	if (count > 0 && (single.id != 0 || event->value != 0))
		return stack_frames_add_sample(&samples->tree, samples->report, frames, count, node);
	return stack_frames_note(&samples->tree, "(unknown)", &note) &&
	       stack_nodes_child(&samples->tree, 0, note, node);
}

/* The number of the call stack of a sample, which is defined if it is new. */
static uint64_t stack_of(perfetto_samples *samples, perfetto_writer *writer, const mprof_event *event)
{
	const uint64_t single =
		(event->flags & MPROF_EVENT_FLAG_NATIVE) != 0 ? SINGLE_LOCATION : SINGLE_FRAME + event->id;
	stack_entry *entry = key_map_put(&samples->stacks, event->value != 0 ? (uint32_t)event->value : single);
	uint32_t node = 0;

	if (entry == NULL || (entry->node == 0 && !add_frames(samples, event, &node))) {
		writer->has_failed = 1;
		return 0;
	}
	if (entry->node == 0) {
		entry->node = (uint64_t)node + 1;
		define_stack(samples, writer, node);
	}
	return entry->node;
}

/* Times are differences of a running sum, so that they add up to that of all samples. */
static uint64_t weight_of(perfetto_samples *samples, uint64_t hits)
{
	const sampling_facts *sampling = &samples->report->summary.sampling;
	const uint64_t before = samples->hits;

	samples->hits += hits;
	if (!samples->has_time)
		return hits;
	return sampling_time_of(sampling, samples->hits) - sampling_time_of(sampling, before);
}

void perfetto_write_sample(perfetto_samples *samples, perfetto_writer *writer, const mprof_event *event, uint64_t pid,
			   uint64_t tid, uint64_t time)
{
	const uint64_t stack = stack_of(samples, writer, event);
	const uint64_t weight = weight_of(samples, event->more.detail != NULL ? event->more.detail->samples : 1);

	protobuf_clear(&writer->part);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, TASK_PID, pid);
	protobuf_number(&writer->inner, TASK_TID, tid);
	protobuf_add(&writer->part, SAMPLE_TASK, &writer->inner);
	protobuf_number(&writer->part, SAMPLE_STACK, stack);
	protobuf_clear(&writer->inner);
	protobuf_text(&writer->inner, COUNTER_NAME, samples->has_time ? "processor time" : "samples");
	protobuf_number(&writer->inner, COUNTER_UNIT, samples->has_time ? UNIT_NANOSECONDS : UNIT_COUNT);
	protobuf_add(&writer->part, SAMPLE_COUNTER, &writer->inner);
	protobuf_number(&writer->part, SAMPLE_WEIGHT, weight);
	perfetto_begin_packet(writer, time);
	protobuf_add(&writer->packet, PACKET_STACK_SAMPLE, &writer->part);
	writer->contents++;
	perfetto_end_packet(writer);
}

void perfetto_samples_release(perfetto_samples *samples)
{
	stack_nodes_release(&samples->tree);
	key_map_clear(&samples->stacks);
	id_set_clear(&samples->frames);
	id_set_clear(&samples->nodes);
	intern_release(&samples->paths);
}
