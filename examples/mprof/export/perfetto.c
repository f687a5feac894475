/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace of Perfetto: the calls of each thread, spans, compilations, class loads, finalizers, exceptions,
 * collections, pauses, waits, markers, metrics, samples, and where events were lost.
 */
#include "common/arguments.h"
#include "export/event_walk.h"
#include "export/intern.h"
#include "export/perfetto_heap.h"
#include "export/perfetto_packets.h"
#include "export/perfetto_spans.h"
#include "export/stack_nodes.h"
#include "export/targets.h"
#include "export/thread_table.h"
#include "shared/key_map.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Finds tracks for slices that may overlap.
 *
 * Collections of several generations and waits of several threads have different kinds; slices of the same kind that
 * overlap, as damage can make them, get one more track.
 */

/* Initialized with 0. */
typedef struct perfetto_lanes {
	key_map kinds;
	uint64_t count;
} perfetto_lanes;

/* Lanes of a kind that are searched. */
#define MAX_SEARCHED 64

typedef struct trace_lane {
	uint64_t end;
	uint64_t track;
	struct trace_lane *next; /* Of the same kind. */
} trace_lane;

/* An entry of perfetto_lanes::kinds. */
typedef struct lane_entry {
	uint64_t kind;
	trace_lane *first;
} lane_entry;

static trace_lane *find_lane(const lane_entry *entry, uint64_t start)
{
	int searched = 0;

	for (trace_lane *lane = entry->first; lane != NULL && searched < MAX_SEARCHED; lane = lane->next, searched++) {
		if (lane->end <= start)
			return lane;
	}
	return NULL;
}

/*
 * The track of a slice, described if it is new. Returns 0 if out of memory; perfetto_writer::has_failed is then set.
 * parent, name: of a new track.
 */
static uint64_t perfetto_lanes_track(perfetto_lanes *lanes, perfetto_writer *writer, uint64_t kind, uint64_t parent,
				     const char *name, uint64_t start, uint64_t end)
{
	lane_entry *entry;
	trace_lane *lane;

	lanes->kinds.value_size = sizeof(lane_entry) - sizeof(uint64_t);
	entry = key_map_put(&lanes->kinds, kind);
	lane = entry != NULL ? find_lane(entry, start) : NULL;
	if (lane == NULL) {
		lane = entry != NULL ? calloc(1, sizeof(*lane)) : NULL;
		if (lane == NULL) {
			writer->has_failed = 1;
			return 0;
		}
		lane->next = entry->first;
		entry->first = lane;
		lane->track = perfetto_track_id(writer, PERFETTO_INTERVALS, ++lanes->count);
		perfetto_describe_track(writer, lane->track, parent, name);
	}
	lane->end = end;
	return lane->track;
}

static void perfetto_lanes_release(perfetto_lanes *lanes)
{
	for (size_t i = 0; lanes->kinds.capacity > 0 && i <= lanes->kinds.capacity; i++) {
		lane_entry *entry = key_map_slot(&lanes->kinds, i);

		while (entry != NULL && entry->first != NULL) {
			trace_lane *lane = entry->first;

			entry->first = lane->next;
			free(lane);
		}
	}
	key_map_clear(&lanes->kinds);
}

/*
 * Writes samples as StackSample packets of Perfetto, with call stacks that are defined once.
 *
 * The frames are those of the report: functions that were inlined have frames of their own, and code without a known
 * function is the frame of its module.
 */

typedef struct perfetto_samples {
	const log_report *report;
	stack_tree tree;    /* The call stacks of all samples. */
	key_map stacks;     /* Call stacks of the log: which node of the tree each is. */
	id_set frames;      /* Frames of the tree that are defined. */
	id_set nodes;       /* Nodes whose call stack is defined. */
	intern_table paths; /* Of modules and source files. */
	uint64_t hits;      /* The number of samples so far. */
	int has_time;       /* Each sample has a time as its weight. */
} perfetto_samples;

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

enum {
	TASK_PID = 2,
	TASK_TID = 3,
	COUNTER_NAME = 2,
	COUNTER_UNIT = 3,
	SAMPLE_UNIT_NANOSECONDS = 1,
	SAMPLE_UNIT_COUNT = 9
};

#define KEY(field, type) ((field) << 3 | (type))

/* The keys of samples without a call stack are above the IDs of call stacks. */
#define SINGLE_FRAME (UINT64_C(1) << 40)
#define SINGLE_LOCATION (UINT64_C(1) << 41)

/* An entry of perfetto_samples::stacks. */
typedef struct stack_entry {
	uint64_t stack;
	uint64_t node; /* From 1. */
} stack_entry;

/* max_depth: see stack_tree::max_depth. Returns 0 if out of memory. Release it in both cases. */
static int perfetto_samples_init(perfetto_samples *samples, const log_report *report, uint32_t max_depth)
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

/* Adds the frames of a sample to the tree. Returns 0 if out of memory. */
static int add_frames(perfetto_samples *samples, const mprof_event *event, uint32_t stack, uint32_t *node)
{
	const mprof_stack_frame single = {.id = event->flags & MPROF_EVENT_FLAG_NATIVE ? 0 : event->id,
					  .is_native = (event->flags & MPROF_EVENT_FLAG_NATIVE) != 0};
	const mprof_stack_frame *frames = &single;
	size_t count = 1;
	uint32_t note;

	if (stack != 0)
		count = names_stack(samples->report->input.names, stack, &frames);
	if (count > 0 && (single.id != 0 || stack != 0))
		return stack_frames_add_sample(&samples->tree, samples->report, frames, count, node);
	return stack_frames_note(&samples->tree, "(unknown)", &note) &&
	       stack_nodes_child(&samples->tree, 0, note, node);
}

/* The number of the call stack of a sample, which is defined if it is new. */
static uint64_t stack_of(perfetto_samples *samples, perfetto_writer *writer, const mprof_event *event)
{
	const uint64_t single =
		(event->flags & MPROF_EVENT_FLAG_NATIVE) != 0 ? SINGLE_LOCATION : SINGLE_FRAME + event->id;
	const uint32_t stack = names_stack_at(samples->report->input.names, (uint32_t)event->value, event->counter);
	stack_entry *entry = key_map_put(&samples->stacks, stack != 0 ? stack : single);
	uint32_t node = 0;

	if (entry == NULL || (entry->node == 0 && !add_frames(samples, event, stack, &node))) {
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

/* Writes a sample. */
static void perfetto_write_sample(perfetto_samples *samples, perfetto_writer *writer, const mprof_event *event,
				  uint64_t pid, uint64_t tid, uint64_t time)
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
	protobuf_number(&writer->inner, COUNTER_UNIT, samples->has_time ? SAMPLE_UNIT_NANOSECONDS : SAMPLE_UNIT_COUNT);
	protobuf_add(&writer->part, SAMPLE_COUNTER, &writer->inner);
	protobuf_number(&writer->part, SAMPLE_WEIGHT, weight);
	perfetto_begin_packet(writer, time);
	protobuf_add(&writer->packet, PACKET_STACK_SAMPLE, &writer->part);
	writer->contents++;
	perfetto_end_packet(writer);
}

static void perfetto_samples_release(perfetto_samples *samples)
{
	stack_nodes_release(&samples->tree);
	key_map_clear(&samples->stacks);
	id_set_clear(&samples->frames);
	id_set_clear(&samples->nodes);
	intern_release(&samples->paths);
}

/* The viewer in the browser loads files up to about this size without its native accelerator. */
#define LARGE_FILE UINT64_C(1000000000)

/* Values of CounterDescriptor.Unit */
enum { UNIT_UNSPECIFIED = 0, UNIT_TIME_NS = 1, UNIT_COUNT = 2, UNIT_BYTES = 3 };

#define NAME_SIZE 512

/* Recorders write the clocks of the system into one of the first blocks. */
#define FIRST_BLOCKS 16

#define MAX_NANOSECONDS 3e18

/* Perfetto ignores the beginnings of slices above this number of open ones on a track, but not their ends. */
#define MAX_OPEN 512

/* Nanoseconds between two values of the counter of allocated bytes of a thread. */
#define ALLOCATION_INTERVAL 100000

/* Things that nest on tracks of their own below a thread. */
enum { NESTED_COMPILATIONS, NESTED_CLASS_LOADS, NESTED_FINALIZERS, NESTED_DEEP, NESTED_KINDS };

static const struct nested_kind {
	perfetto_track track;
	const char *name;
} nested_kinds[NESTED_KINDS] = {
	{PERFETTO_COMPILATIONS, "JIT compilations"},
	{PERFETTO_CLASS_LOADS, "Class loads"},
	{PERFETTO_FINALIZERS, "Finalizers"},
	/* Instants for which the calls of the thread leave no room. */
	{PERFETTO_DEEP, "In deeper calls"},
};

/* A thread as described in the trace: an entry of perfetto_trace::threads. */
typedef struct trace_thread {
	uint64_t id;
	uint64_t tid;
	uint64_t track;
	uint64_t rows; /* How many rows have begun. */
} trace_thread;

/* A row of a thread. */
typedef struct trace_row {
	perfetto_sequence sequence;
	uint64_t allocated;        /* Bytes. */
	uint64_t written;          /* Bytes that the counter states. */
	uint64_t allocation_time;  /* Of that value. */
	uint64_t last_allocation;  /* Its time. */
	uint64_t allocation_track; /* 0 before the first allocation. */
	uint64_t depths[NESTED_KINDS];
	int has_track[NESTED_KINDS];
	int has_loss;
	struct trace_row *next;
} trace_row;

typedef struct perfetto_trace {
	const log_report *report;
	perfetto_writer writer;
	event_walk walk;
	trace_row *rows;
	key_map threads; /* Threads by ID. */
	thread_table names;
	uint64_t thread_count;
	perfetto_lanes lanes;
	perfetto_samples samples;
	id_set metrics;
	uint64_t thread_values; /* Of metrics of threads. */
	perfetto_spans spans;
	intern_table sections; /* Of metrics. */
	uint64_t process;
	uint64_t pid;
	const char *arguments; /* Of the program; NULL if unknown. */
	int has_heap_size;
	int has_loss; /* Of events that belong to no thread. */
} perfetto_trace;

static trace_row *find_row(const perfetto_trace *trace, uint64_t thread)
{
	const walk_thread *found = event_walk_thread(&trace->walk, thread);

	return found != NULL ? found->row : NULL;
}

/* The track of the process of a thread, which is described if it is new. */
static uint64_t process_track(perfetto_trace *trace, thread_process *process)
{
	uint64_t track;
	const char *command;
	const char *name;

	if (process == NULL)
		return trace->process;
	track = perfetto_track_id(&trace->writer, PERFETTO_PROCESSES, process->number);
	if (!process->is_noted) {
		name = thread_names_table_name_process(&trace->names, process, &command);
		perfetto_describe_process(&trace->writer, track, process->pid, name, command);
	}
	process->is_noted = 1;
	return track;
}

static trace_thread *get_thread(perfetto_trace *trace, uint64_t id);

static void describe_thread(perfetto_trace *trace, uint64_t id)
{
	trace_thread *thread = key_map_put(&trace->threads, id);
	const uint64_t track = perfetto_track_id(&trace->writer, PERFETTO_THREAD, ++trace->thread_count);
	mprof_timeline_stats timeline;
	thread_identity identity;
	char description[NAME_SIZE] = "";
	const trace_thread *parent;
	uint64_t process;
	uint64_t pid;

	thread_names_table_identify(&trace->names, id, &identity);
	thread->tid = identity.tid;
	thread->track = track;
	pid = identity.process != NULL ? identity.process->pid : trace->pid;
	process = process_track(trace, identity.process);
	if (identity.is_made)
		snprintf(description, sizeof(description), "Thread 0x%" PRIx64 " of the log", id);
	if (!thread_names_table_timeline(&trace->names, id, &timeline) || timeline.kind == MPROF_TIMELINE_THREAD ||
	    timeline.kind > MPROF_TIMELINE_REMOTE) {
		perfetto_describe_thread(&trace->writer, track, pid, identity.tid, identity.name, description);
		return;
	}
	/* A timeline that is no thread of a program is a track below that of its parent, or of its process. */
	parent = timeline.parent != 0 ? get_thread(trace, timeline.parent) : NULL;
	perfetto_describe_ranked(&trace->writer, track, parent != NULL ? parent->track : process, identity.name,
				 timeline.rank, description);
}

/* The description of a thread, written if it is new. NULL if out of memory. */
static trace_thread *get_thread(perfetto_trace *trace, uint64_t id)
{
	trace_thread *thread = key_map_put(&trace->threads, id);

	if (thread != NULL && thread->tid == 0) {
		describe_thread(trace, id);
		thread = key_map_find(&trace->threads, id);
	}
	trace->writer.has_failed |= thread == NULL;
	return thread;
}

static void *begin_row(void *user, const walk_thread *thread)
{
	perfetto_trace *trace = user;
	trace_thread *described = get_thread(trace, thread->id);
	trace_row *row = calloc(1, sizeof(*row));

	if (row == NULL || described == NULL) {
		free(row);
		return NULL;
	}
	if (described->rows++ > 0) {
		describe_thread(trace, thread->id);
		described = key_map_find(&trace->threads, thread->id);
	}
	row->next = trace->rows;
	trace->rows = row;
	row->sequence.number = PERFETTO_MAIN_SEQUENCE + thread->row_number;
	row->sequence.track = described->track;
	row->sequence.time = thread->time;
	perfetto_begin_sequence(&trace->writer, &row->sequence, 0);
	return row;
}

static void enter(void *user, const walk_thread *thread, uint32_t method, uint64_t time, int is_resumed)
{
	perfetto_trace *trace = user;
	trace_row *row = thread->row;
	int added = id_set_add(&row->sequence.methods, method);

	if (added != 0) {
		trace->writer.has_failed |= added < 0;
		perfetto_define_name(&trace->writer, &row->sequence, method,
				     names_full_method(trace->walk.input.names, method));
	}
	perfetto_begin_call(&trace->writer, &row->sequence, method, time, is_resumed);
}

static void leave(void *user, const walk_thread *thread, uint32_t method, uint64_t time)
{
	perfetto_trace *trace = user;
	trace_row *row = thread->row;

	(void)method;
	perfetto_end_call(&trace->writer, &row->sequence, time);
}

static uint64_t nested_track(perfetto_trace *trace, trace_row *row, int kind)
{
	uint64_t track = perfetto_track_id(&trace->writer, nested_kinds[kind].track, row->sequence.number);

	if (!row->has_track[kind])
		perfetto_describe_track(&trace->writer, track, row->sequence.track, nested_kinds[kind].name);
	row->has_track[kind] = 1;
	return track;
}

static void begin_nested(perfetto_trace *trace, const walk_thread *thread, int kind, const char *name)
{
	trace_row *row = thread->row;
	uint64_t track = nested_track(trace, row, kind);

	row->depths[kind]++;
	perfetto_event(&trace->writer, TRACK_EVENT_BEGIN, track, name, thread->time);
}

static void end_nested(perfetto_trace *trace, const walk_thread *thread, int kind, const mprof_event *event)
{
	trace_row *row = thread->row;

	if (row->depths[kind] == 0)
		return;
	row->depths[kind]--;
	perfetto_begin_event(&trace->writer, TRACK_EVENT_END, nested_track(trace, row, kind), NULL);
	if (event->flags & MPROF_EVENT_FLAG_FAILED)
		perfetto_annotate_text(&trace->writer, "result", "failed");
	perfetto_end_event(&trace->writer, thread->time);
}

/* The track of an instant of a thread. */
static uint64_t instant_track(perfetto_trace *trace, const walk_thread *thread)
{
	trace_row *row = thread->row;

	return thread->stack->passed < MAX_OPEN ? row->sequence.track : nested_track(trace, row, NESTED_DEEP);
}

static const char *class_of(const perfetto_trace *trace, uint32_t id, class_name *name)
{
	const char *text = names_class_or_none(trace->walk.input.reader, id, name);

	return text != NULL ? text : "(unknown class)";
}

static void add_exception(perfetto_trace *trace, const walk_thread *thread, const mprof_event *event)
{
	class_name name;
	char text[NAME_SIZE];

	snprintf(text, sizeof(text), "Exception %s", class_of(trace, event->id, &name));
	perfetto_event(&trace->writer, TRACK_EVENT_INSTANT, instant_track(trace, thread), text, thread->time);
}

static void add_heap_size(perfetto_trace *trace, const walk_thread *thread, const mprof_event *event)
{
	uint64_t track = perfetto_track_id(&trace->writer, PERFETTO_HEAP_SIZE, 0);

	if (!trace->has_heap_size)
		perfetto_describe_counter(&trace->writer, track, trace->process, "Heap size", UNIT_BYTES);
	trace->has_heap_size = 1;
	perfetto_count(&trace->writer, track, thread->time, (int64_t)event->value);
}

static void write_allocated(perfetto_trace *trace, trace_row *row, uint64_t time)
{
	row->written = row->allocated;
	row->allocation_time = time;
	perfetto_count(&trace->writer, row->allocation_track, time, (int64_t)row->allocated);
}

/* A value for each allocation would be larger than all calls. */
static void add_allocation(perfetto_trace *trace, const walk_thread *thread, const mprof_event *event)
{
	trace_row *row = thread->row;

	if (row->allocation_track == 0) {
		row->allocation_track = perfetto_track_id(&trace->writer, PERFETTO_ALLOCATIONS, row->sequence.number);
		perfetto_describe_counter(&trace->writer, row->allocation_track, row->sequence.track, "Allocated bytes",
					  UNIT_BYTES);
		write_allocated(trace, row, thread->time);
	}
	row->allocated += event->value;
	row->last_allocation = thread->time;
	if (thread->time - row->allocation_time >= ALLOCATION_INTERVAL)
		write_allocated(trace, row, thread->time);
}

/* The last values. */
static void add_allocated(perfetto_trace *trace)
{
	for (trace_row *row = trace->rows; row != NULL; row = row->next) {
		if (row->allocated != row->written)
			write_allocated(trace, row, row->last_allocation);
	}
}

static void add_event(void *user, const walk_thread *thread, const mprof_event *event)
{
	perfetto_trace *trace = user;
	class_name name;

	switch (event->kind) {
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
		add_allocation(trace, thread, event);
		break;
	case MPROF_EVENT_METHOD_JIT_START:
		begin_nested(trace, thread, NESTED_COMPILATIONS, names_full_method(trace->walk.input.names, event->id));
		break;
	case MPROF_EVENT_METHOD_JIT_END:
		end_nested(trace, thread, NESTED_COMPILATIONS, event);
		break;
	case MPROF_EVENT_CLASS_LOAD_START:
		begin_nested(trace, thread, NESTED_CLASS_LOADS, class_of(trace, event->id, &name));
		break;
	case MPROF_EVENT_CLASS_LOAD_END:
		end_nested(trace, thread, NESTED_CLASS_LOADS, event);
		break;
	case MPROF_EVENT_FINALIZER_START:
		begin_nested(trace, thread, NESTED_FINALIZERS, class_of(trace, event->id, &name));
		break;
	case MPROF_EVENT_FINALIZER_END:
		end_nested(trace, thread, NESTED_FINALIZERS, event);
		break;
	case MPROF_EVENT_EXCEPTION:
		add_exception(trace, thread, event);
		break;
	case MPROF_EVENT_GC_RESIZE:
		add_heap_size(trace, thread, event);
		break;
	default:
		break;
	}
}

static void begin_span(void *user, const walk_thread *thread, const walk_span *span)
{
	perfetto_trace *trace = user;
	const trace_row *row = thread->row;

	perfetto_spans_begin(&trace->spans, row->sequence.track, trace->process, span);
}

static void end_span(void *user, const walk_thread *thread, const walk_span *span)
{
	perfetto_trace *trace = user;

	(void)thread;
	perfetto_spans_end(&trace->spans, span);
}

static void add_described(void *user, const walk_thread *thread, const walk_span *event)
{
	perfetto_trace *trace = user;

	perfetto_spans_instant(&trace->spans, instant_track(trace, thread), event);
}

static void add_sample(void *user, uint64_t thread, const mprof_event *event, uint64_t time)
{
	perfetto_trace *trace = user;
	const trace_thread *described = thread != 0 ? get_thread(trace, thread) : NULL;

	/* Samples without a thread are those of the process. */
	perfetto_write_sample(&trace->samples, &trace->writer, event, trace->pid,
			      described != NULL ? described->tid : trace->pid, time);
}

static void add_loss(void *user, const walk_thread *thread, uint64_t count, uint64_t time)
{
	perfetto_trace *trace = user;
	trace_row *row = thread != NULL ? thread->row : NULL;
	char text[NAME_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64 " events lost", count);
	perfetto_begin_event(&trace->writer, TRACK_EVENT_INSTANT,
			     row != NULL ? instant_track(trace, thread) : trace->process, text);
	perfetto_annotate_number(&trace->writer, "lost", count);
	perfetto_end_event(&trace->writer, time);
	if (row == NULL) {
		perfetto_drop(&trace->writer);
		trace->has_loss = 1;
		return;
	}
	row->has_loss = 1;
	perfetto_begin_sequence(&trace->writer, &row->sequence, 1);
}

/* Makes the losses visible among the statistics of the reader. */
static void add_losses(perfetto_trace *trace)
{
	uint64_t count = 0;

	perfetto_begin_stats(&trace->writer);
	for (const trace_row *row = trace->rows; row != NULL; row = row->next) {
		if (row->has_loss)
			perfetto_add_stats(&trace->writer, row->sequence.number);
		count += row->has_loss != 0;
	}
	if (trace->has_loss)
		perfetto_add_stats(&trace->writer, PERFETTO_LOSS_SEQUENCE);
	if (count > 0 || trace->has_loss)
		perfetto_end_stats(&trace->writer);
}

static uint64_t metric_unit(const mprof_metric_record *metric)
{
	switch (metric->flags & MPROF_METRIC_UNIT_MASK) {
	case MPROF_METRIC_UNIT_BYTES:
		return UNIT_BYTES;
	case MPROF_METRIC_UNIT_TIME:
		return UNIT_TIME_NS;
	case MPROF_METRIC_UNIT_COUNT:
		return UNIT_COUNT;
	default:
		return UNIT_UNSPECIFIED;
	}
}

/* The track that the metrics of a section are below. */
static uint64_t section_track(perfetto_trace *trace, const char *section)
{
	uint32_t index = 0;
	const int added = intern_add(&trace->sections, section, strlen(section) + 1, &index);
	const uint64_t track = perfetto_track_id(&trace->writer, PERFETTO_SECTION, index);

	trace->writer.has_failed |= added < 0;
	if (added > 0)
		perfetto_describe_track(&trace->writer, track, trace->process, section);
	return track;
}

static void describe_metric(perfetto_trace *trace, uint32_t id, uint64_t track)
{
	mprof_record record;
	char text[NAME_SIZE];
	const mprof_metric_record *metric = &record.as.metric;
	const trace_thread *thread;
	uint64_t parent;

	if (mprof_reader_lookup_record(trace->walk.input.reader, MPROF_RECORD_METRIC, id, &record, sizeof(record)) !=
	    MPROF_OK) {
		snprintf(text, sizeof(text), "Metric %" PRIu32, id);
		perfetto_describe_counter(&trace->writer, track, trace->process, text, UNIT_UNSPECIFIED);
		return;
	}
	snprintf(text, sizeof(text), "%s: %s", metric->section, metric->name);
	if (metric->flags & MPROF_METRIC_FLAG_THREAD) {
		thread = get_thread(trace, metric->thread);
		parent = thread != NULL ? thread->track : trace->process;
	} else {
		parent = section_track(trace, metric->section);
	}
	perfetto_describe_counter(&trace->writer, track, parent, text, metric_unit(metric));
}

static void add_metric(void *user, const mprof_record *record, uint64_t time)
{
	perfetto_trace *trace = user;
	uint64_t track = perfetto_track_id(&trace->writer, PERFETTO_METRIC, record->id);
	const mprof_metric_value_record *value = &record->as.metric_value;
	double number;
	int added;

	if (record->kind != MPROF_RECORD_METRIC_VALUE)
		return;
	added = id_set_add(&trace->metrics, record->id);
	trace->writer.has_failed |= added < 0;
	if (added > 0)
		describe_metric(trace, record->id, track);
	trace->thread_values += (uint64_t)export_value_is_of_thread(trace->walk.input.reader, record->id);
	if (!value->is_double) {
		perfetto_count(&trace->writer, track, time, (int64_t)value->value);
		return;
	}
	memcpy(&number, &value->value, sizeof(number));
	perfetto_count_double(&trace->writer, track, time, number);
}

static uint64_t time_after(int64_t start, uint64_t duration)
{
	return (start > 0 ? (uint64_t)start : 0) + duration;
}

/* Kinds of lanes: collections by generation, stops of the world, and waits by row. */
enum { LANE_COLLECTIONS, LANE_STOPS, LANE_WAITS, LANE_KINDS };

static void add_collections(perfetto_trace *trace)
{
	const mprof_profile *profile = trace->report->profile;
	mprof_collection collection = {.struct_size = sizeof(collection)};
	char name[NAME_SIZE];

	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_COLLECTIONS); i++) {
		uint64_t start;
		uint64_t end;
		uint64_t track;

		if (mprof_profile_get_row(profile, MPROF_TABLE_COLLECTIONS, i, &collection) != MPROF_OK)
			continue;
		start = time_after(collection.start_ns, 0);
		end = collection.unfinished ? UINT64_MAX : time_after(collection.start_ns, collection.duration_ns);
		snprintf(name, sizeof(name), "Collections of generation %" PRIu32, collection.generation);
		track = perfetto_lanes_track(&trace->lanes, &trace->writer,
					     (uint64_t)collection.generation * LANE_KINDS + LANE_COLLECTIONS,
					     trace->process, name, start, end);
		perfetto_begin_event(&trace->writer, TRACK_EVENT_BEGIN, track, "Garbage collection");
		perfetto_annotate_number(&trace->writer, "number", collection.number);
		perfetto_annotate_number(&trace->writer, "generation", collection.generation);
		perfetto_annotate_number(&trace->writer, "pause_ns", collection.pause_ns);
		perfetto_annotate_number(&trace->writer, "mark_ns", collection.mark_ns);
		perfetto_annotate_number(&trace->writer, "sweep_ns", collection.sweep_ns);
		perfetto_end_event(&trace->writer, start);
		if (!collection.unfinished)
			perfetto_event(&trace->writer, TRACK_EVENT_END, track, NULL, end);
	}
}

static void begin_wait(perfetto_trace *trace, const mprof_pause *pause, uint64_t track)
{
	class_name name;
	char text[NAME_SIZE];

	snprintf(text, sizeof(text), "Wait for %s", class_of(trace, pause->class_id, &name));
	perfetto_begin_event(&trace->writer, TRACK_EVENT_BEGIN, track, text);
	if (pause->object != 0)
		perfetto_annotate_number(&trace->writer, "object", pause->object);
	if (pause->holder != 0)
		perfetto_annotate_number(&trace->writer, "holder", pause->holder);
}

static void add_pause(perfetto_trace *trace, const mprof_pause *pause)
{
	const trace_row *row = pause->kind == MPROF_PAUSE_WAIT ? find_row(trace, pause->thread) : NULL;
	uint64_t start = time_after(pause->start_ns, 0);
	uint64_t end = pause->unfinished ? UINT64_MAX : time_after(pause->start_ns, pause->duration_ns);
	uint64_t track;

	if (pause->kind == MPROF_PAUSE_COLLECTION)
		return;
	if (pause->kind == MPROF_PAUSE_WAIT) {
		track = perfetto_lanes_track(&trace->lanes, &trace->writer, pause->thread * LANE_KINDS + LANE_WAITS,
					     row != NULL ? row->sequence.track : trace->process, "Waits for monitors",
					     start, end);
		begin_wait(trace, pause, track);
	} else {
		track = perfetto_lanes_track(&trace->lanes, &trace->writer, LANE_STOPS, trace->process,
					     "Stops of the world", start, end);
		perfetto_begin_event(&trace->writer, TRACK_EVENT_BEGIN, track, "World stopped");
	}
	perfetto_end_event(&trace->writer, start);
	if (!pause->unfinished)
		perfetto_event(&trace->writer, TRACK_EVENT_END, track, NULL, end);
}

static void add_pauses(perfetto_trace *trace)
{
	const mprof_profile *profile = trace->report->profile;
	mprof_pause pause = {.struct_size = sizeof(pause)};

	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_PAUSES); i++) {
		if (mprof_profile_get_row(profile, MPROF_TABLE_PAUSES, i, &pause) == MPROF_OK)
			add_pause(trace, &pause);
	}
}

static void add_marks(perfetto_trace *trace)
{
	const mprof_profile *profile = trace->report->profile;
	uint64_t track = perfetto_track_id(&trace->writer, PERFETTO_MARKS, 0);
	mprof_mark mark = {.struct_size = sizeof(mark)};

	if (mprof_profile_get_row_count(profile, MPROF_TABLE_MARKS) > 0)
		perfetto_describe_track(&trace->writer, track, trace->process, "Markers");
	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_MARKS); i++) {
		if (mprof_profile_get_row(profile, MPROF_TABLE_MARKS, i, &mark) == MPROF_OK)
			perfetto_event(&trace->writer, TRACK_EVENT_INSTANT, track, mark.text,
				       time_after(mark.time_ns, 0));
	}
}

/* A heap snapshot outside of the time window is left out, unless it is requested. */
static int add_heap(perfetto_trace *trace, const export_job *job)
{
	const time_window *window = &trace->report->options.window;
	const perfetto_heap_place position = {
		.pid = trace->pid,
		.process = trace->process,
		.start_ns = window->start_ns > 0 ? (uint64_t)window->start_ns : 0,
		.end_ns = time_window_end(window) > 0 ? (uint64_t)window->end_ns : UINT64_MAX,
	};

	if (job->heap_shot == 0 && mprof_profile_get_row_count(trace->report->profile, MPROF_TABLE_HEAP_SHOTS) == 0)
		return STATUS_OK;
	return perfetto_heap_write(&trace->writer, job, &position);
}

/* What is missing is part of the trace. */
static void add_completeness(perfetto_trace *trace)
{
	const log_report *report = trace->report;
	char text[NAME_SIZE];

	if (report->summary.session.complete)
		return;
	snprintf(text, sizeof(text), "incomplete log: valid up to byte %" PRIu64, report->summary.session.valid_bytes);
	perfetto_note(&trace->writer, trace->process, text, trace->walk.time);
}

static void read_properties(perfetto_trace *trace)
{
	const mprof_profile *profile = trace->report->profile;
	mprof_profile_property property = {.struct_size = sizeof(property)};

	trace->pid = trace->names.pid;
	/* Without the clock of the system, traces of mprof can be merged with one another, but not with others. */
	trace->writer.boot_start = trace->writer.start_time;
	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_PROPERTIES); i++) {
		if (mprof_profile_get_row(profile, MPROF_TABLE_PROPERTIES, i, &property) != MPROF_OK)
			continue;
		if (strcmp(property.key, "arguments") == 0)
			trace->arguments = property.value;
		if (strcmp(property.key, "counter") == 0 && strcmp(property.value, "monotonic clock, nanoseconds") == 0)
			trace->writer.monotonic_start = trace->report->summary.session.start.counter;
	}
}

/* Takes the clocks of the system from a SESSION block, which was written some time after the start of the log. */
static int take_clocks(perfetto_trace *trace, log_input *input, const mprof_block *block)
{
	const mprof_session *session = &trace->report->summary.session;
	const double unit = session->counters_per_second > 0 ? 1e9 / session->counters_per_second : 1;
	const double distance = (double)(block->start.counter - session->start.counter) * unit;
	/* A clock of the system counts less than a century. */
	const uint64_t since = distance < MAX_NANOSECONDS ? (uint64_t)distance : UINT64_MAX;
	const char *key;
	const char *value;
	int is_found = 0;

	while (mprof_reader_next_property(input->reader, &key, &value) == MPROF_OK) {
		const uint64_t time = strtoull(value, NULL, 10);

		if (time <= since)
			continue;
		if (strcmp(key, "boottime_ns") == 0)
			trace->writer.boot_start = time - since;
		if (strcmp(key, "monotonic_ns") == 0)
			trace->writer.monotonic_start = time - since;
		is_found |= strcmp(key, "monotonic_ns") == 0;
	}
	return is_found;
}

/* Reads the first blocks once more, for the clocks of the system. Returns an exit status. */
static int read_clocks(perfetto_trace *trace, const char *path)
{
	mprof_block block;
	log_input input;
	int status = input_open_part(&input, path, MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION));
	int is_found = status != STATUS_OK;

	for (int i = 0; i < FIRST_BLOCKS && !is_found && input_next_block(&input, &block); i++)
		is_found = block.loaded && block.kind == MPROF_BLOCK_SESSION && take_clocks(trace, &input, &block);
	if (status == STATUS_OK) {
		status = input_check_again(&input);
	} else {
		text_begin_message(path);
		fputs("cannot read the log once more\n", stderr);
	}
	input_close(&input);
	return status;
}

static void begin_trace(perfetto_trace *trace)
{
	const log_summary *summary = &trace->report->summary;

	trace->writer.base = trace->writer.start_time + trace->pid;
	trace->process = perfetto_track_id(&trace->writer, PERFETTO_PROCESS, 0);
	trace->writer.has_ranks = mprof_profile_get_row_count(trace->report->profile, MPROF_TABLE_TIMELINES) > 0;
	perfetto_begin_main(&trace->writer);
	if (summary->program[0] != '\0' && trace->arguments == NULL)
		trace->arguments = "";
	perfetto_describe_process(&trace->writer, trace->process, trace->pid, thread_names_table_process(trace->report),
				  summary->program[0] != '\0' ? trace->arguments : NULL);
	/* Times of the report begin here, and those of the viewer with the first event. */
	perfetto_note(&trace->writer, trace->process, "Recording starts", 0);
}

static void release_trace(perfetto_trace *trace)
{
	while (trace->rows != NULL) {
		trace_row *row = trace->rows;

		trace->rows = row->next;
		id_set_clear(&row->sequence.methods);
		free(row);
	}
	key_map_clear(&trace->threads);
	thread_names_table_release(&trace->names);
	perfetto_lanes_release(&trace->lanes);
	id_set_clear(&trace->metrics);
	intern_release(&trace->sections);
	perfetto_samples_release(&trace->samples);
	perfetto_spans_release(&trace->spans);
	perfetto_release(&trace->writer);
	event_walk_release(&trace->walk);
}

/* Writes what is before all events. Returns an exit status. */
static int prepare_trace(perfetto_trace *trace, const export_job *job)
{
	int status;

	trace->writer.start_time = trace->report->summary.session.start.time * 1000;
	read_properties(trace);
	status = read_clocks(trace, job->log);
	if (status == STATUS_OK)
		begin_trace(trace);
	return status;
}

static int lack_memory(const log_report *report)
{
	text_begin_message(report->input.name);
	fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
	return STATUS_NOTHING;
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	static const walk_sink sink = {
		.max_open = MAX_OPEN,
		.begin_row = begin_row,
		.enter = enter,
		.leave = leave,
		.event = add_event,
		.begin_span = begin_span,
		.end_span = end_span,
		.described = add_described,
		.sample = add_sample,
		.lost = add_loss,
		.metric = add_metric,
	};
	perfetto_trace trace = {.report = report,
				.writer.stream = file->stream,
				.threads.value_size = sizeof(trace_thread) - sizeof(uint64_t)};
	const int has_memory = thread_names_table_init(&trace.names, report) &&
			       perfetto_samples_init(&trace.samples, report, job->max_depth);
	int status;

	trace.spans.writer = &trace.writer;
	trace.spans.walk = &trace.walk;
	status = has_memory ? prepare_trace(&trace, job) : lack_memory(report);

	if (status == STATUS_OK)
		status = event_walk_run(&trace.walk, job, report, &sink, &trace);
	if (status == STATUS_OK) {
		add_allocated(&trace);
		add_collections(&trace);
		add_pauses(&trace);
		add_marks(&trace);
		add_completeness(&trace);
		add_losses(&trace);
		event_walk_print_left_out(&trace.walk);
		if (trace.samples.tree.is_folded)
			fprintf(stderr,
				"mprof: export: samples: frames deeper than %" PRIu32
				" are one frame, \"(deeper frames)\"%s\n",
				job->max_depth, job->has_max_depth ? "" : "; --max-depth=0 writes all");
	}
	if (status == STATUS_OK)
		status = add_heap(&trace, job);
	if (status != STATUS_NOTHING &&
	    export_value_is_empty(report, trace.writer.contents - trace.thread_values, trace.thread_values))
		status = export_value_note_empty(report, "perfetto");
	if (status != STATUS_NOTHING && trace.writer.has_failed)
		status = lack_memory(report);
	release_trace(&trace);
	return status;
}

const export_target export_perfetto = {
	.name = "perfetto",
	.extension = ".pftrace",
	.description = "protobuf trace of Perfetto: calls, spans, collections, pauses, waits, markers, metrics, "
		       "samples, heap snapshots",
	.lacks = "the trace has no handles and names of roots, and of allocations only the bytes by thread and time; "
		 "use "
		 "--to=pprof for their call stacks",
	.kind = EXPORT_EVENTS,
	.has_spans = 1,
	.options = EXPORT_HAS_WINDOW | EXPORT_HAS_MIN_DURATION | EXPORT_HAS_AT | EXPORT_HAS_MAX_DEPTH,
	.viewer_limit = LARGE_FILE,
	.smaller = "use --time, --thread or --min-duration, or the native trace_processor",
	.write_report = write_report,
};
