/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace of Perfetto: the calls of each thread, spans, compilations, class loads, finalizers, exceptions,
 * collections, pauses, waits, markers, metrics, samples, and where events were lost.
 */
#include "common/arguments.h"
#include "export/event_walk.h"
#include "export/intern.h"
#include "export/live_counters.h"
#include "export/perfetto_heap.h"
#include "export/perfetto_packets.h"
#include "export/perfetto_samples.h"
#include "export/perfetto_spans.h"
#include "export/targets.h"
#include "export/thread_table.h"
#include "shared/key_map.h"
#include "shared/kinds.h"
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

/* The viewer in the browser loads files up to about this size without its native accelerator. */
#define LARGE_FILE UINT64_C(1000000000)

/* Values of CounterDescriptor.Unit */
enum { UNIT_UNSPECIFIED = 0, UNIT_TIME_NS = 1, UNIT_COUNT = 2, UNIT_BYTES = 3 };

#define NAME_SIZE 512

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
	uint64_t pid;
	uint64_t tid;
	uint64_t track;
	uint64_t process;   /* The track of its process. */
	uint64_t rows;      /* How many rows have begun. */
	uint64_t is_thread; /* It is a thread of a program, or a part of one. */
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
	perfetto_clocks clocks;
	intern_table sections; /* Of metrics. */
	live_counters live;
	uint64_t live_tracks; /* Of counters of what is alive. */
	uint64_t process;
	uint64_t pid;
	const char *arguments; /* Of the program; NULL if unknown. */
	key_map heap_sizes;    /* Tracks of processes that have a counter of the size of their heap. */
	int has_loss;          /* Of events that belong to no thread. */
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
	int is_thread;
	uint64_t pid;

	thread_names_table_identify(&trace->names, id, &identity);
	pid = identity.process != NULL ? identity.process->pid : trace->pid;
	thread->pid = pid;
	thread->tid = identity.tid;
	thread->track = track;
	process = process_track(trace, identity.process);
	thread->process = process;
	if (identity.is_created)
		snprintf(description, sizeof(description), "Thread 0x%" PRIx64 " of the log", id);
	if (!thread_names_table_timeline(&trace->names, id, &timeline) || timeline.kind == MPROF_TIMELINE_THREAD ||
	    timeline.kind > MPROF_TIMELINE_REMOTE) {
		perfetto_describe_thread(&trace->writer, track, pid, identity.tid, identity.name, description);
		thread->is_thread = 1;
		return;
	}
	/* A timeline that is no thread of a program is a track below that of its parent, or of its process. */
	parent = timeline.parent != 0 ? get_thread(trace, timeline.parent) : NULL;
	perfetto_describe_ranked(&trace->writer, track, parent != NULL ? parent->track : process, identity.name,
				 timeline.rank, description);
	is_thread = parent != NULL && parent->is_thread;
	/* It has moved if its parent was new. */
	thread = key_map_find(&trace->threads, id);
	thread->is_thread = is_thread;
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
	const trace_thread *described = key_map_find(&trace->threads, thread->id);
	const uint64_t process = described != NULL ? described->process : trace->process;
	const uint64_t number =
		process != trace->process ? thread_names_table_process_of(&trace->names, thread->id) : 0;
	const uint64_t track = perfetto_track_id(&trace->writer, PERFETTO_HEAP_SIZE, number);
	const int added = key_map_add(&trace->heap_sizes, process);

	trace->writer.has_failed |= added < 0;
	if (added > 0)
		perfetto_describe_counter(&trace->writer, track, process, "Heap size", UNIT_BYTES, NULL);
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
					  UNIT_BYTES, NULL);
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

/* The thread of a span or of another event. */
static perfetto_span_position find_position(const perfetto_trace *trace, const walk_thread *thread, uint64_t track)
{
	const trace_thread *described = key_map_find(&trace->threads, thread->id);

	return (perfetto_span_position){.thread = thread->id,
					.track = track,
					.process = described != NULL ? described->process : trace->process,
					.is_thread = described != NULL && described->is_thread};
}

static void begin_span(void *user, const walk_thread *thread, const walk_span *span)
{
	perfetto_trace *trace = user;
	const trace_row *row = thread->row;
	const perfetto_span_position position = find_position(trace, thread, row->sequence.track);

	perfetto_spans_begin(&trace->spans, &position, span);
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
	const perfetto_span_position position = find_position(trace, thread, instant_track(trace, thread));

	perfetto_spans_instant(&trace->spans, &position, event);
}

/* Samples without a thread are those of the process. */
static perfetto_task task_of(perfetto_trace *trace, uint64_t thread, uint64_t time)
{
	const trace_thread *described = thread != 0 ? get_thread(trace, thread) : NULL;
	const perfetto_task whole = {.pid = trace->pid, .tid = trace->pid, .time = time};

	return described != NULL ? (perfetto_task){described->pid, described->tid, time} : whole;
}

static void add_sample(void *user, uint64_t thread, const mprof_event *event, uint64_t time)
{
	perfetto_trace *trace = user;
	const perfetto_task task = task_of(trace, thread, time);

	perfetto_samples_add(&trace->samples, &trace->writer, thread, event, &task);
}

static void add_kind_sample(void *user, const walk_kind_sample *sample)
{
	perfetto_trace *trace = user;
	const perfetto_task task = task_of(trace, sample->thread, sample->time);

	perfetto_samples_add_kind(&trace->samples, &trace->writer, sample, &task);
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

static void add_clock_pair(void *user, const mprof_record *record)
{
	perfetto_trace *trace = user;

	perfetto_clocks_add(&trace->clocks, &trace->writer, &trace->walk, record);
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

/* The name of a unit that metric_unit() does not state; NULL if there is none. */
static const char *unit_name(const mprof_metric_record *metric)
{
	return metric_unit(metric) == UNIT_UNSPECIFIED && (metric->flags & MPROF_METRIC_UNIT_MASK) != 0
		       ? kind_of_metric_unit(metric)
		       : NULL;
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
		perfetto_describe_counter(&trace->writer, track, trace->process, text, UNIT_UNSPECIFIED, NULL);
		return;
	}
	snprintf(text, sizeof(text), "%s: %s", metric->section, metric->name);
	if (metric->flags & MPROF_METRIC_FLAG_THREAD) {
		thread = get_thread(trace, metric->thread);
		parent = thread != NULL ? thread->track : trace->process;
	} else {
		parent = section_track(trace, metric->section);
	}
	perfetto_describe_counter(&trace->writer, track, parent, text, metric_unit(metric), unit_name(metric));
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

static void add_memory(void *user, uint64_t thread, const mprof_event *event)
{
	perfetto_trace *trace = user;

	live_counters_add(&trace->live, &trace->walk, thread_names_table_process_of(&trace->names, thread), thread,
			  event);
}

/* The values of a counter follow each other, and a new counter has the next number. */
static void add_live_value(void *user, const live_counter *counter, uint64_t time, uint64_t value)
{
	perfetto_trace *trace = user;
	const uint64_t track = perfetto_track_id(&trace->writer, PERFETTO_LIVE, counter->number);
	thread_process *process = thread_names_table_find_process(&trace->names, counter->process);

	if (counter->number >= trace->live_tracks) {
		perfetto_describe_counter(&trace->writer, track, process_track(trace, process), counter->name,
					  counter->is_bytes ? UNIT_BYTES : UNIT_COUNT, NULL);
		trace->live_tracks = counter->number + 1;
	}
	perfetto_count(&trace->writer, track, time, (int64_t)value);
}

static uint64_t time_after(int64_t start, uint64_t duration)
{
	return (start > 0 ? (uint64_t)start : 0) + duration;
}

/* Kinds of lanes: collections by generation, stops of the world, and waits by row. */
enum { LANE_COLLECTIONS, LANE_STOPS, LANE_WAITS, LANE_KINDS };

/* Adds what is known of a collection. */
static void annotate_collection(perfetto_writer *writer, const mprof_collection *collection)
{
	perfetto_annotate_number(writer, "number", collection->number);
	perfetto_annotate_number(writer, "generation", collection->generation);
	if (collection->has_pause)
		perfetto_annotate_number(writer, "pause_ns", collection->pause_ns);
	if (collection->mark_ns > 0)
		perfetto_annotate_number(writer, "mark_ns", collection->mark_ns);
	if (collection->sweep_ns > 0)
		perfetto_annotate_number(writer, "sweep_ns", collection->sweep_ns);
	if (collection->name != NULL)
		perfetto_annotate_text(writer, "collector", collection->name);
	if (collection->cause != NULL)
		perfetto_annotate_text(writer, "cause", collection->cause);
}

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
		annotate_collection(&trace->writer, &collection);
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

/* The process of a heap snapshot, unless the profile has others than the \p count of the log. */
static void find_heap_process(void *user, uint32_t snapshot, size_t count, uint64_t *pid, uint64_t *track)
{
	perfetto_trace *trace = user;
	const mprof_profile *profile = trace->report->profile;
	mprof_heap_shot shot = {.struct_size = sizeof(shot)};
	thread_process *process = NULL;

	if (mprof_profile_get_row_count(profile, MPROF_TABLE_HEAP_SHOTS) == count &&
	    mprof_profile_get_row(profile, MPROF_TABLE_HEAP_SHOTS, snapshot - 1, &shot) == MPROF_OK)
		process = thread_names_table_find_process(&trace->names, shot.process);
	*pid = process != NULL ? process->pid : trace->pid;
	*track = process_track(trace, process);
}

/* A heap snapshot outside of the time window is left out, unless it is requested. */
static int add_heap(perfetto_trace *trace, const export_job *job)
{
	const time_window *window = &trace->report->options.window;
	const perfetto_heap_position position = {
		.find_process = find_heap_process,
		.user = trace,
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

/* Takes the clocks of the system, which were read some time after the start of the log. */
static void take_system_clocks(perfetto_trace *trace)
{
	const mprof_session *session = &trace->report->summary.session;
	const double unit = session->counters_per_second > 0 ? 1e9 / session->counters_per_second : 1;
	const double distance = (double)(session->clocks.counter - session->start.counter) * unit;
	/* A clock of the system counts less than a century. */
	const uint64_t since = distance < MAX_NANOSECONDS ? (uint64_t)distance : UINT64_MAX;

	if (session->boottime_ns > since)
		trace->writer.boot_start = session->boottime_ns - since;
	if (session->monotonic_ns > since)
		trace->writer.monotonic_start = session->monotonic_ns - since;
}

/* The viewer shows what the log states about its recording: the program, the runtime, options. */
static void add_attributes(perfetto_trace *trace)
{
	const mprof_profile *profile = trace->report->profile;
	mprof_profile_property property = {.struct_size = sizeof(property)};

	perfetto_begin_attributes(&trace->writer);
	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_PROPERTIES); i++) {
		if (mprof_profile_get_row(profile, MPROF_TABLE_PROPERTIES, i, &property) == MPROF_OK)
			perfetto_add_attribute(&trace->writer, property.key, property.value);
	}
	perfetto_end_attributes(&trace->writer);
}

static void begin_trace(perfetto_trace *trace)
{
	const log_summary *summary = &trace->report->summary;

	trace->writer.base = trace->writer.start_time + trace->pid;
	trace->process = perfetto_track_id(&trace->writer, PERFETTO_PROCESS, 0);
	trace->writer.has_ranks = mprof_profile_get_row_count(trace->report->profile, MPROF_TABLE_TIMELINES) > 0;
	perfetto_begin_main(&trace->writer);
	add_attributes(trace);
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
	key_map_clear(&trace->heap_sizes);
	thread_names_table_release(&trace->names);
	perfetto_lanes_release(&trace->lanes);
	id_set_clear(&trace->metrics);
	intern_release(&trace->sections);
	perfetto_samples_release(&trace->samples);
	perfetto_spans_release(&trace->spans);
	perfetto_clocks_release(&trace->clocks);
	live_counters_release(&trace->live);
	perfetto_release(&trace->writer);
	event_walk_release(&trace->walk);
}

/* Writes what is before all events. */
static void prepare_trace(perfetto_trace *trace)
{
	trace->writer.start_time = trace->report->summary.session.start.time * 1000;
	read_properties(trace);
	take_system_clocks(trace);
	begin_trace(trace);
}

/* Writes what is known after all events, but for heap snapshots, and prints what was left out. */
static void add_rest(perfetto_trace *trace, const export_job *job)
{
	add_allocated(trace);
	add_collections(trace);
	add_pauses(trace);
	add_marks(trace);
	live_counters_visit(&trace->live, &trace->walk, trace->report, add_live_value, trace);
	trace->writer.has_failed |= trace->live.has_failed;
	add_completeness(trace);
	add_losses(trace);
	perfetto_clocks_write(&trace->clocks, &trace->writer);
	event_walk_print_left_out(&trace->walk);
	if (trace->samples.tree.is_folded)
		fprintf(stderr,
			"mprof: export: samples: frames deeper than %" PRIu32 " are one frame, \"(deeper frames)\"%s\n",
			job->max_depth, job->has_max_depth ? "" : "; --max-depth=0 writes all");
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
		.has_links = 1,
		.begin_row = begin_row,
		.enter = enter,
		.leave = leave,
		.event = add_event,
		.begin_span = begin_span,
		.end_span = end_span,
		.described = add_described,
		.sample = add_sample,
		.kind_sample = add_kind_sample,
		.lost = add_loss,
		.metric = add_metric,
		.memory = add_memory,
		.clock_pair = add_clock_pair,
	};
	perfetto_trace trace = {.report = report,
				.writer.stream = file->stream,
				.threads.value_size = sizeof(trace_thread) - sizeof(uint64_t)};
	const int has_memory = thread_names_table_init(&trace.names, report) &&
			       perfetto_samples_init(&trace.samples, report, job->max_depth);
	int status;

	if (job->value != EXPORT_VALUE_DEFAULT && !export_value_exists(report, job->value)) {
		export_value_note_missing(report, job->value);
		return STATUS_NOTHING;
	}
	trace.spans.writer = &trace.writer;
	trace.spans.walk = &trace.walk;
	if (has_memory) {
		prepare_trace(&trace);
		status = event_walk_run(&trace.walk, job, report, &sink, &trace);
	} else {
		status = lack_memory(report);
	}
	if (status == STATUS_OK) {
		add_rest(&trace, job);
		status = add_heap(&trace, job);
	}
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
	.values = EXPORT_VALUE_BIT(EXPORT_KIND),
	.viewer_limit = LARGE_FILE,
	.smaller = "use --time, --thread or --min-duration, or the native trace_processor",
	.write_report = write_report,
};
