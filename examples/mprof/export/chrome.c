/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON of the trace event format: the calls of each thread, spans, exceptions, collections, pauses, waits,
 * markers and metrics. Each end has the name of its beginning, since some readers pair them by name. What may overlap
 * is written as asynchronous events, because the slices of a thread must nest.
 */
#include "export/targets.h"

#include "common/arguments.h"
#include "common/json.h"
#include "export/event_walk.h"
#include "export/intern.h"
#include "export/live_counters.h"
#include "export/span_walk.h"
#include "export/text_stream.h"
#include "export/thread_table.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Viewers in browsers need several times the size of the file as memory. */
#define LARGE_FILE UINT64_C(300000000)

#define NAME_SIZE 512

/* Readers that make a stack of the slices of a thread, as Perfetto does, have room for this number of them. */
#define MAX_OPEN 512

/* Times are microseconds with three decimals, so that no nanosecond is lost in the text. */
#define TIME_DECIMALS 3

/* An entry of chrome_trace::names: the name of a method as a field in JSON. Allocated. */
typedef struct name_entry {
	uint64_t method;
	char *text;
	size_t length;
} name_entry;

typedef struct trace_row {
	uint64_t tid;
	struct trace_row *next;
} trace_row;

/* An entry of chrome_trace::pids. */
typedef struct row_process {
	uint64_t tid;
	uint64_t pid;
} row_process;

typedef struct chrome_trace {
	const log_report *report;
	thread_table threads;
	trace_row *rows;
	json_writer json;
	text_stream calls; /* What is written before the next use of json. */
	key_map names;
	key_map pids; /* Of rows that belong to another process than the recorded one: #row_process. */
	event_walk walk;
	live_counters live;
	uint64_t async_count;
	uint64_t *lanes; /* Numbers of the rows of lanes of spans, by walk_lane::number - 1. */
	size_t lane_count;
	plain_buffer plain;
	uint64_t contents;      /* Number of events. */
	uint64_t thread_values; /* Those of them that are values of metrics of threads. */
	int has_failed;
} chrome_trace;

static const char *plain_name(chrome_trace *trace, const char *name)
{
	const char *text = plain_text(&trace->plain, name);

	trace->has_failed |= text == NULL;
	return text != NULL ? text : "";
}

static uint64_t pid_of(const chrome_trace *trace, uint64_t tid)
{
	const row_process *process = trace->pids.count > 0 ? key_map_find(&trace->pids, tid) : NULL;

	return process != NULL ? process->pid : trace->threads.pid;
}

/* Begins an event, whose further fields follow. */
static void begin_event(chrome_trace *trace, const char *phase, const char *category, const char *name, uint64_t thread,
			uint64_t time)
{
	trace->contents++;
	text_stream_flush(&trace->calls);
	json_begin_object(&trace->json, NULL);
	json_string(&trace->json, "ph", phase);
	json_string(&trace->json, "cat", category);
	json_string(&trace->json, "name", plain_name(trace, name));
	json_unsigned(&trace->json, "pid", pid_of(trace, thread));
	json_unsigned(&trace->json, "tid", thread);
	json_fixed(&trace->json, "ts", time, TIME_DECIMALS);
}

static void name_thread(chrome_trace *trace, const char *what, uint64_t thread, const char *name)
{
	json_writer *json = &trace->json;

	text_stream_flush(&trace->calls);
	json_begin_object(json, NULL);
	json_string(json, "ph", "M");
	json_string(json, "name", what);
	json_unsigned(json, "pid", pid_of(trace, thread));
	json_unsigned(json, "tid", thread);
	json_begin_object(json, "args");
	json_string(json, "name", plain_name(trace, name));
	json_end_object(json);
	json_end_object(json);
}

static uint64_t row_of(const walk_thread *thread)
{
	const trace_row *row = thread->row;

	return row->tid;
}

/* States where a viewer shows a row among the others. */
static void rank_thread(chrome_trace *trace, uint64_t thread, uint64_t rank)
{
	json_writer *json = &trace->json;

	text_stream_flush(&trace->calls);
	json_begin_object(json, NULL);
	json_string(json, "ph", "M");
	json_string(json, "name", "thread_sort_index");
	json_unsigned(json, "pid", pid_of(trace, thread));
	json_unsigned(json, "tid", thread);
	json_begin_object(json, "args");
	json_unsigned(json, "sort_index", rank);
	json_end_object(json);
	json_end_object(json);
}

/* Notes that a row belongs to another process than the recorded one, which is named if it is new. */
static void join_process(chrome_trace *trace, uint64_t tid, thread_process *process)
{
	row_process *entry = process != NULL ? key_map_put(&trace->pids, tid) : NULL;
	const char *command;

	trace->has_failed |= process != NULL && entry == NULL;
	if (entry == NULL)
		return;
	entry->pid = process->pid;
	if (!process->is_noted)
		name_thread(trace, "process_name", tid,
			    thread_names_table_name_process(&trace->threads, process, &command));
	process->is_noted = 1;
}

/* Names the processes of which the trace has no events, since their threads have samples only. */
static void name_other_processes(chrome_trace *trace)
{
	mprof_process_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; mprof_profile_get_row(trace->report->profile, MPROF_TABLE_PROCESSES, i, &stats) == MPROF_OK;
	     i++) {
		thread_process *process = key_map_find(&trace->threads.processes, stats.number);

		if (process != NULL && !process->is_noted && process->pid != trace->threads.pid)
			join_process(trace, thread_names_table_add_row(&trace->threads), process);
	}
}

static void *begin_row(void *user, const walk_thread *thread)
{
	chrome_trace *trace = user;
	trace_row *row = calloc(1, sizeof(*row));
	mprof_timeline_stats timeline;
	thread_identity identity;

	if (row == NULL)
		return NULL;
	thread_names_table_identify(&trace->threads, thread->id, &identity);
	row->tid = identity.tid;
	row->next = trace->rows;
	trace->rows = row;
	join_process(trace, row->tid, identity.process);
	name_thread(trace, "thread_name", row->tid, identity.name);
	if (thread_names_table_timeline(&trace->threads, thread->id, &timeline))
		rank_thread(trace, row->tid, timeline.rank);
	return row;
}

/* Makes the field with the name of a method. Escaping a name again for each call would take most of the time. */
static int make_name(chrome_trace *trace, uint32_t method, name_entry *entry)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	json_writer json;

	if (file == NULL)
		return 0;
	json_init(&json, file, 1);
	fputs("\"name\":", file);
	json_string(&json, NULL, plain_name(trace, names_full_method(trace->walk.input.names, method)));
	entry->text = text_of_stream(file, &text);
	if (entry->text == NULL)
		return 0;
	/* An outermost value ends with a line feed. */
	entry->length = length - 1;
	return 1;
}

/* Most events are calls. They follow the name of the process, so that a comma separates each from what is before it. */
static void write_call(chrome_trace *trace, const char *start, const walk_thread *thread, uint32_t method,
		       uint64_t time)
{
	name_entry *entry = key_map_put(&trace->names, method);
	text_stream *out = &trace->calls;

	if (entry == NULL || (entry->text == NULL && !make_name(trace, method, entry))) {
		trace->has_failed = 1;
		return;
	}
	trace->contents++;
	text_stream_string(out, start);
	text_stream_add(out, entry->text, entry->length);
	text_stream_string(out, ",\"pid\":");
	text_stream_unsigned(out, pid_of(trace, row_of(thread)));
	text_stream_string(out, ",\"tid\":");
	text_stream_unsigned(out, row_of(thread));
	text_stream_string(out, ",\"ts\":");
	text_stream_fixed(out, time, TIME_DECIMALS);
	text_stream_character(out, '}');
}

static void enter(void *user, const walk_thread *thread, uint32_t method, uint64_t time, int is_resumed)
{
	write_call(user, is_resumed ? ",{\"ph\":\"B\",\"cat\":\"resumed\"," : ",{\"ph\":\"B\",\"cat\":\"call\",",
		   thread, method, time);
}

static void leave(void *user, const walk_thread *thread, uint32_t method, uint64_t time)
{
	write_call(user, ",{\"ph\":\"E\",\"cat\":\"call\",", thread, method, time);
}

/* An instant of a thread, or of the process for NULL. Above the most calls, its thread has no room for it. */
static void write_instant(chrome_trace *trace, const char *category, const char *name, const walk_thread *thread,
			  uint64_t time)
{
	const char *scope = thread == NULL ? "g" : thread->stack->passed < MAX_OPEN ? "t" : "p";

	begin_event(trace, "i", category, name, thread != NULL ? row_of(thread) : trace->threads.pid, time);
	json_string(&trace->json, "s", scope);
	json_end_object(&trace->json);
}

static void write_interval(chrome_trace *trace, const char *category, const char *name, uint64_t thread, uint64_t start,
			   uint64_t end)
{
	const uint64_t id = ++trace->async_count;

	begin_event(trace, "b", category, name, thread, start);
	json_unsigned(&trace->json, "id", id);
	json_end_object(&trace->json);
	begin_event(trace, "e", category, name, thread, end);
	json_unsigned(&trace->json, "id", id);
	json_end_object(&trace->json);
}

/* Puts a row into the process of a thread. */
static void follow_process(chrome_trace *trace, uint64_t row, const walk_thread *thread)
{
	const uint64_t pid = pid_of(trace, row_of(thread));
	row_process *entry = pid != trace->threads.pid ? key_map_put(&trace->pids, row) : NULL;

	trace->has_failed |= pid != trace->threads.pid && entry == NULL;
	if (entry != NULL)
		entry->pid = pid;
}

/*
 * Spans. Those of a call stack have a row below that of the thread, so that they need not nest with calls; flows are
 * arrows between slices, so that an event with a flow is a slice without a duration.
 */

/* The number of the row of a lane; 0 if out of memory. */
static uint64_t row_of_lane(chrome_trace *trace, const walk_thread *thread, const walk_lane *lane)
{
	thread_identity identity;
	char name[2 * THREAD_NAME_SIZE];

	if (lane->number > trace->lane_count) {
		uint64_t *lanes = realloc(trace->lanes, lane->number * sizeof(*lanes));

		if (lanes == NULL) {
			trace->has_failed = 1;
			return 0;
		}
		memset(lanes + trace->lane_count, 0, (lane->number - trace->lane_count) * sizeof(*lanes));
		trace->lanes = lanes;
		trace->lane_count = lane->number;
	}
	if (trace->lanes[lane->number - 1] != 0)
		return trace->lanes[lane->number - 1];
	trace->lanes[lane->number - 1] = thread_names_table_add_row(&trace->threads);
	if (thread->row != NULL)
		follow_process(trace, trace->lanes[lane->number - 1], thread);
	thread_names_table_name(&trace->threads, thread->id, identity.name);
	if (lane->call_stack != 0)
		snprintf(name, sizeof(name), "Spans of stack 0x%" PRIx64, lane->call_stack);
	else
		snprintf(name, sizeof(name), "Spans of %s", identity.name);
	name_thread(trace, "thread_name", trace->lanes[lane->number - 1], name);
	return trace->lanes[lane->number - 1];
}

static void write_arguments(chrome_trace *trace, const mprof_event *event)
{
	const mprof_reader *reader = trace->walk.input.reader;
	typed_arguments arguments;
	typed_argument argument;

	if (event == NULL || !typed_begin(&arguments, reader, event))
		return;
	while (span_walk_next_argument(&trace->walk, &arguments, &argument))
		typed_value_json(reader, &trace->json, plain_name(trace, argument.definition.name), &argument);
}

/* Writes the ends of the flows of an event on a row. */
static void write_flows(chrome_trace *trace, const mprof_event *event, uint64_t row, uint64_t time)
{
	const mprof_reader *reader = trace->walk.input.reader;
	typed_arguments arguments;
	typed_argument argument;

	if (event == NULL || !typed_begin(&arguments, reader, event))
		return;
	while (typed_next(&arguments, &argument)) {
		const int is_out = argument.definition.role == MPROF_ROLE_FLOW_OUT;

		if (!is_out && argument.definition.role != MPROF_ROLE_FLOW_IN)
			continue;
		begin_event(trace, is_out ? "s" : "f", "flow", "flow", row, time);
		json_large(&trace->json, "id", argument.value.number);
		if (!is_out)
			json_string(&trace->json, "bp", "e");
		json_end_object(&trace->json);
	}
}

static void begin_slice(chrome_trace *trace, const char *phase, const walk_thread *thread, const walk_span *span,
			uint64_t time)
{
	const uint64_t row = span->lane != NULL ? row_of_lane(trace, thread, span->lane) : row_of(thread);

	begin_event(trace, phase, span->category[0] != '\0' ? plain_name(trace, span->category) : "span", span->name,
		    row, time);
	if (span->lane == NULL)
		json_large(&trace->json, "id", span->number);
}

static void begin_span(void *user, const walk_thread *thread, const walk_span *span)
{
	chrome_trace *trace = user;

	begin_slice(trace, span->lane != NULL ? "B" : "b", thread, span, span->start);
	json_begin_object(&trace->json, "args");
	write_arguments(trace, span->first);
	json_end_object(&trace->json);
	json_end_object(&trace->json);
	if (span->lane != NULL)
		write_flows(trace, span->first, row_of_lane(trace, thread, span->lane), span->start);
}

/* One that is open at the end of the log has no end. */
static void end_span(void *user, const walk_thread *thread, const walk_span *span)
{
	chrome_trace *trace = user;

	if (span->is_open)
		return;
	if (span->lane != NULL)
		write_flows(trace, span->last, row_of_lane(trace, thread, span->lane), span->end);
	begin_slice(trace, span->lane != NULL ? "E" : "e", thread, span, span->end);
	json_begin_object(&trace->json, "args");
	write_arguments(trace, span->last);
	if (span->is_unfinished)
		json_boolean(&trace->json, "unfinished", 1);
	json_end_object(&trace->json);
	json_end_object(&trace->json);
}

static void add_described(void *user, const walk_thread *thread, const walk_span *event)
{
	chrome_trace *trace = user;
	const uint64_t row = row_of(thread);
	/* Above the most calls, its thread has no room for a slice. */
	const int is_slice = thread->stack->passed < MAX_OPEN;

	begin_event(trace, is_slice ? "X" : "i",
		    event->category[0] != '\0' ? plain_name(trace, event->category) : "event", event->name, row,
		    event->start);
	if (is_slice)
		json_unsigned(&trace->json, "dur", 0);
	else
		json_string(&trace->json, "s", "p");
	json_begin_object(&trace->json, "args");
	write_arguments(trace, event->first);
	json_end_object(&trace->json);
	json_end_object(&trace->json);
	if (is_slice)
		write_flows(trace, event->first, row, event->start);
}

/* A value of the process that a row belongs to. */
static void write_value_of(chrome_trace *trace, uint64_t row, const char *name, uint64_t time)
{
	begin_event(trace, "C", "metric", name, row, time);
	json_begin_object(&trace->json, "args");
}

static void write_value(chrome_trace *trace, const char *name, uint64_t time)
{
	write_value_of(trace, trace->threads.pid, name, time);
}

static void end_value(chrome_trace *trace)
{
	json_end_object(&trace->json);
	json_end_object(&trace->json);
}

static void add_event(void *user, const walk_thread *thread, const mprof_event *event)
{
	chrome_trace *trace = user;
	class_name class;
	const char *name;
	char text[NAME_SIZE];

	if (event->kind == MPROF_EVENT_GC_RESIZE) {
		write_value_of(trace,
			       pid_of(trace, row_of(thread)) != trace->threads.pid ? row_of(thread)
										   : trace->threads.pid,
			       "Heap size", thread->time);
		json_unsigned(&trace->json, "bytes", event->value);
		end_value(trace);
	}
	if (event->kind != MPROF_EVENT_EXCEPTION)
		return;
	name = names_class_or_none(trace->walk.input.reader, event->id, &class);
	snprintf(text, sizeof(text), "Exception %s", name != NULL ? name : "(unknown class)");
	write_instant(trace, "exception", text, thread, thread->time);
}

static void add_loss(void *user, const walk_thread *thread, uint64_t count, uint64_t time)
{
	char text[NAME_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64 " events lost", count);
	write_instant(user, "loss", text, thread, time);
}

static int has_unit(const mprof_metric_record *metric)
{
	return (metric->flags & MPROF_METRIC_UNIT_MASK) != 0 && kind_of_metric_unit(metric)[0] != '\0';
}

static void add_metric(void *user, const mprof_record *record, uint64_t time)
{
	chrome_trace *trace = user;
	const mprof_metric_value_record *value = &record->as.metric_value;
	mprof_record metric;
	const char *unit;
	char text[NAME_SIZE];
	double number;

	if (record->kind != MPROF_RECORD_METRIC_VALUE ||
	    mprof_reader_lookup_record(trace->walk.input.reader, MPROF_RECORD_METRIC, record->id, &metric,
				       sizeof(metric)) != MPROF_OK)
		return;
	snprintf(text, sizeof(text), "%s: %s", metric.as.metric.section, metric.as.metric.name);
	trace->thread_values += (metric.as.metric.flags & MPROF_METRIC_FLAG_THREAD) != 0;
	write_value(trace, text, time);
	memcpy(&number, &value->value, sizeof(number));
	/* Viewers show the key beside the value. */
	unit = has_unit(&metric.as.metric) ? plain_name(trace, kind_of_metric_unit(&metric.as.metric)) : "value";
	if (value->is_double)
		json_double(&trace->json, unit, number);
	else
		json_signed(&trace->json, unit, (int64_t)value->value);
	end_value(trace);
}

static void add_memory(void *user, uint64_t thread, const mprof_event *event)
{
	chrome_trace *trace = user;

	live_counters_add(&trace->live, &trace->walk, thread_names_table_process_of(&trace->threads, thread), thread,
			  event);
}

static void add_live_value(void *user, const live_counter *counter, uint64_t time, uint64_t value)
{
	chrome_trace *trace = user;
	thread_process *process = thread_names_table_find_process(&trace->threads, counter->process);
	const uint64_t row = process != NULL ? process->pid : trace->threads.pid;

	join_process(trace, row, process);
	write_value_of(trace, row, counter->name, time);
	json_unsigned(&trace->json, counter->is_bytes ? "bytes" : "count", value);
	end_value(trace);
}

static uint64_t time_after(int64_t start, uint64_t duration)
{
	return (start > 0 ? (uint64_t)start : 0) + duration;
}

static void add_collections(chrome_trace *trace)
{
	const mprof_profile *profile = trace->report->profile;
	mprof_collection collection = {.struct_size = sizeof(collection)};
	char name[NAME_SIZE];

	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_COLLECTIONS); i++) {
		if (mprof_profile_get_row(profile, MPROF_TABLE_COLLECTIONS, i, &collection) != MPROF_OK)
			continue;
		snprintf(name, sizeof(name), "Garbage collection of generation %" PRIu32, collection.generation);
		write_interval(trace, "collection", name, trace->threads.pid, time_after(collection.start_ns, 0),
			       collection.unfinished ? trace->walk.time
						     : time_after(collection.start_ns, collection.duration_ns));
	}
}

static void add_pauses(chrome_trace *trace)
{
	const mprof_profile *profile = trace->report->profile;
	mprof_pause pause = {.struct_size = sizeof(pause)};
	class_name class;
	char name[NAME_SIZE];

	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_PAUSES); i++) {
		const walk_thread *thread;
		const char *class_text;

		if (mprof_profile_get_row(profile, MPROF_TABLE_PAUSES, i, &pause) != MPROF_OK ||
		    pause.kind == MPROF_PAUSE_COLLECTION)
			continue;
		thread = pause.kind == MPROF_PAUSE_WAIT ? event_walk_thread(&trace->walk, pause.thread) : NULL;
		class_text = names_class_or_none(trace->walk.input.reader, pause.class_id, &class);
		snprintf(name, sizeof(name), "Wait for %s", class_text != NULL ? class_text : "(unknown class)");
		write_interval(trace, pause.kind == MPROF_PAUSE_WAIT ? "wait" : "pause",
			       pause.kind == MPROF_PAUSE_WAIT ? name : "World stopped",
			       thread != NULL && thread->row != NULL ? row_of(thread) : trace->threads.pid,
			       time_after(pause.start_ns, 0), time_after(pause.start_ns, pause.duration_ns));
	}
}

static void add_marks(chrome_trace *trace)
{
	const mprof_profile *profile = trace->report->profile;
	mprof_mark mark = {.struct_size = sizeof(mark)};

	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_MARKS); i++) {
		if (mprof_profile_get_row(profile, MPROF_TABLE_MARKS, i, &mark) == MPROF_OK)
			write_instant(trace, "marker", mark.text, NULL, time_after(mark.time_ns, 0));
	}
}

static void write_end(chrome_trace *trace)
{
	json_writer *json = &trace->json;
	const log_summary *summary = &trace->report->summary;

	text_stream_flush(&trace->calls);
	json_end_array(json);
	json_string(json, "displayTimeUnit", "ns");
	json_begin_object(json, "otherData");
	json_string(json, "exporter", "mprof " MPROF_VERSION_STRING);
	json_string(json, "name", trace->report->input.name);
	json_boolean(json, "complete", (int)summary->session.complete);
	json_large(json, "valid_bytes", summary->session.valid_bytes);
	json_large(json, "lost_events", trace->report->totals.lost_events);
	if (trace->walk.short_calls > 0)
		json_unsigned(json, "shorter_calls_left_out", trace->walk.short_calls);
	if (trace->walk.deep_calls > 0)
		json_unsigned(json, "deeper_calls_left_out", trace->walk.deep_calls);
	json_large(json, "start_time_us", summary->session.start.time);
	json_end_object(json);
	json_end_object(json);
}

static void release_trace(chrome_trace *trace)
{
	for (size_t i = 0; trace->names.capacity > 0 && i <= trace->names.capacity; i++) {
		const name_entry *entry = key_map_slot(&trace->names, i);

		if (entry != NULL)
			free(entry->text);
	}
	key_map_clear(&trace->names);
	key_map_clear(&trace->pids);
	free(trace->lanes);
	while (trace->rows != NULL) {
		trace_row *row = trace->rows;

		trace->rows = row->next;
		free(row);
	}
	thread_names_table_release(&trace->threads);
	plain_text_release(&trace->plain);
	live_counters_release(&trace->live);
	event_walk_release(&trace->walk);
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
		.lost = add_loss,
		.metric = add_metric,
		.memory = add_memory,
	};
	chrome_trace trace = {.report = report,
			      .names.value_size = sizeof(name_entry) - sizeof(uint64_t),
			      .pids.value_size = sizeof(row_process) - sizeof(uint64_t)};
	int status;

	json_init(&trace.json, file->stream, 1);
	text_stream_init(&trace.calls, file->stream);
	json_begin_object(&trace.json, NULL);
	json_begin_array(&trace.json, "traceEvents");
	trace.has_failed = !thread_names_table_init(&trace.threads, report);
	name_thread(&trace, "process_name", trace.threads.pid, thread_names_table_process(report));
	status = event_walk_run(&trace.walk, job, report, &sink, &trace);
	if (status == STATUS_OK) {
		add_collections(&trace);
		add_pauses(&trace);
		add_marks(&trace);
		live_counters_visit(&trace.live, &trace.walk, report, add_live_value, &trace);
		trace.has_failed |= trace.live.has_failed;
		name_other_processes(&trace);
		write_end(&trace);
		event_walk_print_left_out(&trace.walk);
	}
	if (status == STATUS_OK && trace.has_failed) {
		text_begin_message(report->input.name);
		fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		status = STATUS_NOTHING;
	}
	if (status == STATUS_OK &&
	    export_value_is_empty(report, trace.contents - trace.thread_values, trace.thread_values))
		status = export_value_note_empty(report, "chrome");
	release_trace(&trace);
	return status;
}

const export_target export_chrome = {
	.name = "chrome",
	.extension = ".trace.json",
	.description = "JSON of the trace event format: calls, spans, collections, pauses, waits, markers, metrics",
	.lacks = "the trace has no samples and allocations, and viewers round times above 2^53; --to=perfetto is "
		 "smaller",
	.kind = EXPORT_EVENTS,
	.has_spans = 1,
	.options = EXPORT_HAS_WINDOW | EXPORT_HAS_MIN_DURATION,
	.file_flags = EXPORT_FILE_TEXT,
	.viewer_limit = LARGE_FILE,
	.smaller = "use --time, --thread or --min-duration, or --to=perfetto",
	.write_report = write_report,
};
