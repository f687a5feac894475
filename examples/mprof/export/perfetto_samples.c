/* SPDX-License-Identifier: MIT */
/* Writes samples with the definitions of their call stacks. */
#include "export/perfetto_samples.h"

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
enum { SAMPLE_TASK = 1, SAMPLE_EXECUTION = 3, SAMPLE_STACK = 6, SAMPLE_COUNTER = 9, SAMPLE_WEIGHT = 11 };

enum {
	TASK_PID = 2,
	TASK_TID = 3,
	EXECUTION_CPU = 2,
	EXECUTION_MODE = 3,
	COUNTER_NAME = 2,
	COUNTER_UNIT = 3,
	COUNTER_UNIT_NAME = 4,
	COUNTER_DESCRIPTION = 6
};

/* Values of StackSample.Unit and StackSample.Mode */
enum { SAMPLE_UNIT_NANOSECONDS = 1, SAMPLE_UNIT_BYTES = 4, SAMPLE_UNIT_COUNT = 9, MODE_USER = 1, MODE_KERNEL = 2 };

#define KEY(field, type) ((field) << 3 | (type))

/* The keys of samples without a call stack are above the IDs of call stacks. */
#define SINGLE_FRAME (UINT64_C(1) << 40)
#define SINGLE_LOCATION (UINT64_C(1) << 41)
#define WITHOUT_STACK (UINT64_C(1) << 42)

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
	if (!stack_nodes_init(&samples->tree, EXPORT_SAMPLES, max_depth))
		return 0;
	samples->tree.by_line = 1;
	return 1;
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
	protobuf_number(&writer->inner, FRAME_LINE, source != 0 ? stack_frame_line(frame) : 0);
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

/* Adds the frames of a sample to the tree, or a note if it has none. Returns 0 if out of memory. */
static int add_frames(perfetto_samples *samples, const mprof_stack_frame *frames, size_t count, const char *note,
		      uint32_t *node)
{
	uint32_t frame;

	if (count > 0)
		return stack_frames_add_sample(&samples->tree, samples->report, frames, count, node);
	return stack_frames_note(&samples->tree, note, &frame) && stack_nodes_child(&samples->tree, 0, frame, node);
}

/*
 * The number of the call stack with a key, which is defined if it is new: \p frames, the innermost first, or a note if
 * there are none.
 */
static uint64_t define_by_key(perfetto_samples *samples, perfetto_writer *writer, uint64_t key,
			      const mprof_stack_frame *frames, size_t count, const char *note)
{
	stack_entry *entry = key_map_put(&samples->stacks, key);
	uint32_t node = 0;

	if (entry == NULL || (entry->node == 0 && !add_frames(samples, frames, count, note, &node))) {
		writer->has_failed = 1;
		return 0;
	}
	if (entry->node == 0) {
		entry->node = (uint64_t)node + 1;
		define_stack(samples, writer, node);
	}
	return entry->node;
}

/* The number of the call stack of an event at a counter, by its ID in the log. */
static uint64_t define_logged(perfetto_samples *samples, perfetto_writer *writer, uint64_t thread, uint32_t logged,
			      uint64_t counter, const char *note)
{
	const uint32_t stack = names_stack_at(samples->report->input.names, thread, logged, counter);
	const mprof_stack_frame *frames;
	const size_t count = names_stack(samples->report->input.names, stack, &frames);

	return define_by_key(samples, writer, stack, frames, count, note);
}

/* The number of the call stack of a sample of no kind. */
static uint64_t stack_of(perfetto_samples *samples, perfetto_writer *writer, uint64_t thread, const mprof_event *event)
{
	const int is_native = (event->flags & MPROF_EVENT_FLAG_NATIVE) != 0;
	const mprof_stack_frame single = {.id = event->id};

	if (event->value != 0)
		return define_logged(samples, writer, thread, (uint32_t)event->value, event->counter, "(unknown)");
	return define_by_key(samples, writer, is_native ? SINGLE_LOCATION : SINGLE_FRAME + event->id, &single,
			     !is_native && event->id != 0, "(unknown)");
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

/* Writes a number also if it is 0. */
static void add_known(protobuf_message *message, uint64_t field, uint64_t value)
{
	protobuf_value(message, KEY(field, 0));
	protobuf_value(message, value);
}

/* Begins a sample in perfetto_writer::part. */
static void begin_sample(perfetto_writer *writer, uint64_t stack, const perfetto_task *task)
{
	protobuf_clear(&writer->part);
	protobuf_clear(&writer->inner);
	protobuf_number(&writer->inner, TASK_PID, task->pid);
	protobuf_number(&writer->inner, TASK_TID, task->tid);
	protobuf_add(&writer->part, SAMPLE_TASK, &writer->inner);
	protobuf_number(&writer->part, SAMPLE_STACK, stack);
}

static void end_sample(perfetto_writer *writer, uint64_t time)
{
	perfetto_begin_packet(writer, time);
	protobuf_add(&writer->packet, PACKET_STACK_SAMPLE, &writer->part);
	writer->contents++;
	perfetto_end_packet(writer);
}

void perfetto_samples_add(perfetto_samples *samples, perfetto_writer *writer, uint64_t thread, const mprof_event *event,
			  const perfetto_task *task)
{
	const uint64_t stack = stack_of(samples, writer, thread, event);
	const uint64_t weight = weight_of(samples, event->more.detail != NULL ? event->more.detail->samples : 1);

	begin_sample(writer, stack, task);
	protobuf_clear(&writer->inner);
	protobuf_text(&writer->inner, COUNTER_NAME, samples->has_time ? "processor time" : "samples");
	protobuf_number(&writer->inner, COUNTER_UNIT, samples->has_time ? SAMPLE_UNIT_NANOSECONDS : SAMPLE_UNIT_COUNT);
	protobuf_add(&writer->part, SAMPLE_COUNTER, &writer->inner);
	protobuf_number(&writer->part, SAMPLE_WEIGHT, weight);
	end_sample(writer, task->time);
}

/* Adds the processor and the mode, as far as they are known. */
static void add_execution(perfetto_writer *writer, const walk_kind_sample *sample)
{
	const int has_mode = sample->mode == MPROF_MODE_USER || sample->mode == MPROF_MODE_KERNEL;

	if (sample->cpu == MPROF_CPU_UNKNOWN && !has_mode)
		return;
	protobuf_clear(&writer->inner);
	if (sample->cpu != MPROF_CPU_UNKNOWN)
		add_known(&writer->inner, EXECUTION_CPU, sample->cpu);
	if (has_mode)
		protobuf_number(&writer->inner, EXECUTION_MODE,
				sample->mode == MPROF_MODE_USER ? MODE_USER : MODE_KERNEL);
	protobuf_add(&writer->part, SAMPLE_EXECUTION, &writer->inner);
}

/* Adds the kind. */
static void add_counter(perfetto_writer *writer, const mprof_sample_kind_stats *kind)
{
	protobuf_clear(&writer->inner);
	protobuf_text(&writer->inner, COUNTER_NAME, perfetto_text(writer, kind->name));
	switch (kind->unit) {
	case MPROF_ARGUMENT_UNIT_NANOSECONDS:
		protobuf_number(&writer->inner, COUNTER_UNIT, SAMPLE_UNIT_NANOSECONDS);
		break;
	case MPROF_ARGUMENT_UNIT_BYTES:
		protobuf_number(&writer->inner, COUNTER_UNIT, SAMPLE_UNIT_BYTES);
		break;
	case MPROF_ARGUMENT_UNIT_NAMED:
		protobuf_text(&writer->inner, COUNTER_UNIT_NAME, perfetto_text(writer, kind->unit_name));
		break;
	default:
		protobuf_number(&writer->inner, COUNTER_UNIT, SAMPLE_UNIT_COUNT);
		break;
	}
	if (kind->source[0] != '\0')
		protobuf_text(&writer->inner, COUNTER_DESCRIPTION, perfetto_text(writer, kind->source));
	protobuf_add(&writer->part, SAMPLE_COUNTER, &writer->inner);
}

void perfetto_samples_add_kind(perfetto_samples *samples, perfetto_writer *writer, const walk_kind_sample *sample,
			       const perfetto_task *task)
{
	static const char no_stack[] = "(no call stack)";
	mprof_sample_kind_stats kind;
	uint64_t stack;

	if (!export_value_find_kind(samples->report, sample->type, &kind))
		return;
	stack = sample->stack != 0
			? define_logged(samples, writer, sample->thread, sample->stack, sample->counter, no_stack)
			: define_by_key(samples, writer, WITHOUT_STACK, NULL, 0, no_stack);
	begin_sample(writer, stack, task);
	add_execution(writer, sample);
	add_counter(writer, &kind);
	if (sample->has_weight)
		add_known(&writer->part, SAMPLE_WEIGHT, sample->weight);
	end_sample(writer, task->time);
}

void perfetto_samples_release(perfetto_samples *samples)
{
	stack_nodes_release(&samples->tree);
	key_map_clear(&samples->stacks);
	id_set_clear(&samples->frames);
	id_set_clear(&samples->nodes);
	intern_release(&samples->paths);
}
