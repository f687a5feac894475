/* SPDX-License-Identifier: MIT */
/*
 * Writes a processed profile of the Firefox Profiler, version 60 of its format: the newest that other readers know, and
 * the first whose threads share their tables. Calls are samples whose weight is the time until the next call begins or
 * ends, so that the sums of the viewer are exact.
 */
#include "common/arguments.h"
#include "common/elements.h"
#include "common/json.h"
#include "export/event_walk.h"
#include "export/firefox_rows.h"
#include "export/firefox_tables.h"
#include "export/live_counters.h"
#include "export/span_walk.h"
#include "export/targets.h"
#include "export/text_stream.h"
#include "export/thread_table.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The profile is one string in a browser, which has a limit of 512 MiB. */
#define LARGE_FILE UINT64_C(500000000)

/* The version of the format that the Firefox browser writes; required, but unused by the viewer for this one. */
#define GECKO_VERSION 24
#define PROCESSED_VERSION 60

/* More threads are in the list of threads only. */
#define MAX_VISIBLE 15

/* Longer arguments are cut. */
#define ARGUMENTS_SIZE 4096

#define NAME_SIZE 512

/* An entry of firefox_profile::sampled_rows: the row that has the samples of a thread. */
typedef struct row_entry {
	uint64_t thread;
	firefox_row *row;
} row_entry;

/* A sample of a kind, which is kept until all have been read, since they are in no order of time. */
typedef struct thread_sample {
	uint64_t thread;
	uint64_t number; /* Of the sample, in the order of the log. */
	firefox_sample sample;
} thread_sample;

typedef struct firefox_profile {
	const log_report *report;
	json_writer json;
	text_stream numbers;
	event_walk walk;
	firefox_tables tables;
	firefox_rows rows;
	firefox_counters counters;
	live_counters live;
	firefox_row *process;
	key_map sampled_rows;
	thread_table threads;
	export_value value;
	mprof_sample_kind_stats kind; /* Of EXPORT_KIND: the kind of the samples. */
	thread_sample *kind_samples;  /* All of that kind. */
	size_t kind_sample_count;
	size_t kind_sample_capacity;
	uint64_t thread_values; /* Markers that are values of metrics of threads. */
} firefox_profile;

static void *begin_row(void *user, const walk_thread *thread)
{
	firefox_profile *profile = user;

	return firefox_rows_add(&profile->rows, thread->id, thread->time);
}

static void enter(void *user, const walk_thread *thread, uint32_t method, uint64_t time, int is_resumed)
{
	firefox_profile *profile = user;
	firefox_row *row = thread->row;
	const uint32_t stack = firefox_method_stack(&profile->tables, row->stack, method);

	(void)is_resumed;
	if (profile->value == EXPORT_WALL)
		firefox_row_call(&profile->rows, row, time, stack, 1);
	else
		row->stack = stack;
}

static void leave(void *user, const walk_thread *thread, uint32_t method, uint64_t time)
{
	firefox_profile *profile = user;
	firefox_row *row = thread->row;
	/* There is no call stack only if memory is exhausted. */
	const uint32_t caller = row->stack != FIREFOX_NONE ? profile->tables.stacks[row->stack].caller : FIREFOX_NONE;

	(void)method;
	if (profile->value == EXPORT_WALL)
		firefox_row_call(&profile->rows, row, time, caller, 0);
	else
		row->stack = caller;
}

static void add_allocation(firefox_profile *profile, const walk_thread *thread, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	firefox_row *row = thread->row;
	firefox_sample sample = {.time = thread->time, .weight = event->value, .stack = row->stack};

	if (detail != NULL && detail->stack != 0)
		sample.stack = firefox_logged_stack(&profile->tables, thread->id, detail->stack, event->counter);
	else if (detail != NULL && detail->caller != 0 && row->stack == FIREFOX_NONE)
		sample.stack = firefox_method_stack(&profile->tables, FIREFOX_NONE, detail->caller);
	if (profile->value == EXPORT_BYTES || profile->value == EXPORT_ALLOCATIONS) {
		sample.stack = firefox_class_stack(&profile->tables, sample.stack, event->id);
		if (profile->value == EXPORT_ALLOCATIONS)
			sample.weight = 1;
		firefox_row_add_sample(&profile->rows, row, &sample);
		return;
	}
	sample.class_name = firefox_class_name(&profile->tables, event->id);
	firefox_row_add_allocation(&profile->rows, row, &sample);
}

/* Adds a marker of something that has ended; its field is the name of what it was about. */
static void close_marker(firefox_profile *profile, const walk_thread *thread, firefox_marker_kind kind, uint32_t name)
{
	firefox_marker marker = {.end = thread->time, .name = FIREFOX_NONE, .kind = kind, .values = {name}};

	if (firefox_row_close(thread->row, kind, &marker.start))
		firefox_row_add_marker(&profile->rows, thread->row, &marker);
}

static void add_exception(firefox_profile *profile, const walk_thread *thread, const mprof_event *event)
{
	const firefox_marker marker = {.start = thread->time,
				       .end = thread->time,
				       .name = FIREFOX_NONE,
				       .kind = FIREFOX_EXCEPTION,
				       .values = {firefox_class_name(&profile->tables, event->id)}};

	firefox_row_add_marker(&profile->rows, thread->row, &marker);
}

static void add_event(void *user, const walk_thread *thread, const mprof_event *event)
{
	firefox_profile *profile = user;
	firefox_tables *tables = &profile->tables;

	switch (event->kind) {
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
		add_allocation(profile, thread, event);
		break;
	case MPROF_EVENT_EXCEPTION:
		add_exception(profile, thread, event);
		break;
	case MPROF_EVENT_METHOD_JIT_START:
		firefox_row_open(&profile->rows, thread->row, FIREFOX_COMPILATION, thread->time);
		break;
	case MPROF_EVENT_METHOD_JIT_END:
		close_marker(profile, thread, FIREFOX_COMPILATION,
			     firefox_string(tables, names_full_method(profile->walk.input.names, event->id)));
		break;
	case MPROF_EVENT_CLASS_LOAD_START:
		firefox_row_open(&profile->rows, thread->row, FIREFOX_CLASS_LOAD, thread->time);
		break;
	case MPROF_EVENT_CLASS_LOAD_END:
		close_marker(profile, thread, FIREFOX_CLASS_LOAD, firefox_class_name(tables, event->id));
		break;
	case MPROF_EVENT_FINALIZER_START:
		firefox_row_open(&profile->rows, thread->row, FIREFOX_FINALIZER, thread->time);
		break;
	case MPROF_EVENT_FINALIZER_END:
		close_marker(profile, thread, FIREFOX_FINALIZER, firefox_class_name(tables, event->id));
		break;
	default:
		break;
	}
}

/* The row for a sample: that of the thread, or another one if the clock of its samples went back. */
static firefox_row *sampled_row(firefox_profile *profile, uint64_t thread, uint64_t time)
{
	row_entry *entry = key_map_put(&profile->sampled_rows, thread);
	const walk_thread *walked = event_walk_thread(&profile->walk, thread);

	if (entry == NULL) {
		profile->rows.has_failed = 1;
		return NULL;
	}
	if (entry->row == NULL && walked != NULL)
		entry->row = walked->row;
	if (entry->row == NULL || time < entry->row->last_sample)
		entry->row = firefox_rows_add(&profile->rows, thread, time);
	return entry->row;
}

static void add_sample(void *user, uint64_t thread, const mprof_event *event, uint64_t time)
{
	firefox_profile *profile = user;
	const mprof_event_detail *detail = event->more.detail;
	firefox_sample sample = {.time = time, .weight = detail != NULL ? detail->samples : 1};
	firefox_row *row;

	if (profile->value != EXPORT_SAMPLES)
		return;
	row = sampled_row(profile, thread, time);
	if (row == NULL)
		return;
	sample.stack = firefox_sampled_stack(&profile->tables, thread, event);
	row->last_sample = time;
	firefox_row_add_sample(&profile->rows, row, &sample);
}

/* What the values of a marker of a sample are. */
enum { SAMPLED_WEIGHT, SAMPLED_CPU, SAMPLED_MODE, SAMPLED_UNIT };

static firefox_marker_kind marker_of_unit(uint32_t unit)
{
	return unit == MPROF_ARGUMENT_UNIT_NANOSECONDS ? FIREFOX_SAMPLED_TIME
	       : unit == MPROF_ARGUMENT_UNIT_BYTES     ? FIREFOX_SAMPLED_BYTES
						       : FIREFOX_SAMPLED;
}

/* A sample of a kind that is not in the table of samples, which has one weight. */
static void mark_sample(firefox_profile *profile, firefox_row *row, const walk_kind_sample *sample, uint32_t stack)
{
	mprof_sample_kind_stats kind;
	firefox_marker marker = {.start = sample->time, .end = sample->time};

	if (!export_value_find_kind(profile->report, sample->type, &kind))
		return;
	marker.kind = marker_of_unit(kind.unit);
	marker.name = firefox_string(&profile->tables, kind.name);
	marker.stack = stack + 1;
	marker.values[SAMPLED_WEIGHT] = sample->weight;
	marker.values[SAMPLED_CPU] = sample->cpu;
	marker.values[SAMPLED_MODE] = firefox_string(&profile->tables, kind_of_mode(sample->mode));
	marker.values[SAMPLED_UNIT] = firefox_string(&profile->tables, kind.unit_name);
	marker.unknown = (uint32_t)!sample->has_weight << SAMPLED_WEIGHT |
			 (uint32_t)(sample->cpu == MPROF_CPU_UNKNOWN) << SAMPLED_CPU |
			 (uint32_t)(sample->mode == MPROF_MODE_UNKNOWN) << SAMPLED_MODE |
			 (uint32_t)(kind.unit != MPROF_ARGUMENT_UNIT_NAMED) << SAMPLED_UNIT;
	firefox_row_add_marker(&profile->rows, row, &marker);
}

/* The row for what is in no order of time. */
static firefox_row *marked_row(firefox_profile *profile, uint64_t thread, uint64_t time)
{
	row_entry *entry = key_map_put(&profile->sampled_rows, thread);
	const walk_thread *walked = event_walk_thread(&profile->walk, thread);

	if (entry == NULL) {
		profile->rows.has_failed = 1;
		return NULL;
	}
	if (entry->row == NULL)
		entry->row = walked != NULL && walked->row != NULL ? walked->row
								   : firefox_rows_add(&profile->rows, thread, time);
	return entry->row;
}

static void keep_sample(firefox_profile *profile, const walk_kind_sample *sample, uint32_t stack)
{
	thread_sample *kept;

	if (!elements_reserve((void **)&profile->kind_samples, &profile->kind_sample_capacity,
			      profile->kind_sample_count, sizeof(*profile->kind_samples))) {
		profile->rows.has_failed = 1;
		return;
	}
	kept = &profile->kind_samples[profile->kind_sample_count];
	*kept = (thread_sample){
		.thread = sample->thread,
		.number = profile->kind_sample_count++,
		.sample = {.time = sample->time, .weight = sample->has_weight ? sample->weight : 0, .stack = stack}};
}

static void add_kind_sample(void *user, const walk_kind_sample *sample)
{
	firefox_profile *profile = user;
	uint32_t stack = FIREFOX_NONE;
	firefox_row *row;

	if (sample->stack != 0)
		stack = firefox_logged_stack(&profile->tables, sample->thread, sample->stack, sample->counter);
	if (profile->value == EXPORT_KIND && sample->type == profile->kind.type) {
		/* The viewer does not count samples without a call stack. */
		if (stack == FIREFOX_NONE)
			stack = firefox_method_stack(&profile->tables, FIREFOX_NONE, 0);
		keep_sample(profile, sample, stack);
		return;
	}
	row = marked_row(profile, sample->thread, sample->time);
	if (row != NULL)
		mark_sample(profile, row, sample, stack);
}

static int compare_samples(const void *one, const void *other)
{
	const thread_sample *left = one;
	const thread_sample *right = other;

	if (left->thread != right->thread)
		return left->thread < right->thread ? -1 : 1;
	if (left->sample.time != right->sample.time)
		return left->sample.time < right->sample.time ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* Adds the samples of the kind to their threads, in the order of their times. */
static void add_kind_samples(firefox_profile *profile)
{
	if (profile->kind_sample_count == 0)
		return;
	qsort(profile->kind_samples, profile->kind_sample_count, sizeof(*profile->kind_samples), compare_samples);
	for (size_t i = 0; i < profile->kind_sample_count; i++) {
		const thread_sample *kept = &profile->kind_samples[i];
		firefox_row *row = marked_row(profile, kept->thread, kept->sample.time);

		if (row != NULL)
			firefox_row_add_sample(&profile->rows, row, &kept->sample);
	}
}

/* Appends the arguments of an event, of a message those that are no part of it; a text without room is cut. */
static size_t append_arguments(const firefox_profile *profile, const mprof_event *event, int is_message, char *text,
			       size_t length)
{
	const mprof_reader *reader = profile->walk.input.reader;
	typed_arguments arguments;
	typed_argument argument;

	if (event == NULL || !typed_begin(&arguments, reader, event))
		return length;
	while (length < ARGUMENTS_SIZE && span_walk_next_argument(&profile->walk, &arguments, &argument)) {
		if (!is_message || span_walk_message_part(&argument) == WALK_MESSAGE_OTHER)
			length += (size_t)snprintf(text + length, ARGUMENTS_SIZE - length, "%s%s=%s",
						   length > 0 ? ", " : "", argument.definition.name,
						   typed_value_text(reader, &argument));
	}
	return length;
}

/* The values of a message, in the order of its fields. */
enum { MESSAGE_MODULE, MESSAGE_TEXT, MESSAGE_SEVERITY, MESSAGE_CATEGORY, MESSAGE_ARGUMENTS };

/* The texts of a message. */
static void add_message_texts(firefox_profile *profile, const mprof_event *event, firefox_marker *marker)
{
	/* Letters of the logs of Firefox, by severity. */
	static const char letters[] = "DVDIWEE";
	const mprof_reader *reader = profile->walk.input.reader;
	char module[NAME_SIZE] = "";
	uint64_t severity = 0;
	typed_arguments arguments;
	typed_argument argument;

	if (!typed_begin(&arguments, reader, event))
		return;
	while (typed_next(&arguments, &argument)) {
		switch (span_walk_message_part(&argument)) {
		case WALK_MESSAGE_SEVERITY:
			severity = argument.value.number;
			break;
		case WALK_MESSAGE_SOURCE:
			snprintf(module + 2, sizeof(module) - 2, "%s", typed_value_text(reader, &argument));
			break;
		case WALK_MESSAGE_TEXT:
			marker->values[MESSAGE_TEXT] =
				firefox_string(&profile->tables, typed_value_text(reader, &argument));
			break;
		default:
			break;
		}
	}
	module[0] = letters[severity];
	module[1] = '/';
	/* The viewer takes a module without a letter for D, unless it has a slash. */
	marker->values[MESSAGE_MODULE] = firefox_string(
		&profile->tables, severity == 0 && strchr(module + 2, '/') == NULL ? module + 2 : module);
	marker->values[MESSAGE_SEVERITY] = firefox_string(&profile->tables, kind_of_severity((uint32_t)severity));
	marker->unknown = (uint32_t)(severity == 0) << MESSAGE_SEVERITY;
}

static void add_message(firefox_profile *profile, const walk_thread *thread, const walk_span *event)
{
	char text[ARGUMENTS_SIZE] = "";
	firefox_marker marker = {
		.start = event->start, .end = event->end, .name = FIREFOX_NONE, .kind = FIREFOX_MESSAGE};

	marker.values[MESSAGE_TEXT] = firefox_string(&profile->tables, "");
	add_message_texts(profile, event->first, &marker);
	append_arguments(profile, event->first, 1, text, 0);
	marker.values[MESSAGE_CATEGORY] = firefox_string(&profile->tables, event->category);
	marker.values[MESSAGE_ARGUMENTS] = firefox_string(&profile->tables, text);
	marker.unknown |= (uint32_t)(event->category[0] == '\0') << MESSAGE_CATEGORY;
	marker.unknown |= (uint32_t)(text[0] == '\0') << MESSAGE_ARGUMENTS;
	profile->tables.has_messages = 1;
	firefox_row_add_marker(&profile->rows, thread->row, &marker);
}

static void add_described(void *user, const walk_thread *thread, const walk_span *event)
{
	firefox_profile *profile = user;
	char text[ARGUMENTS_SIZE] = "";
	firefox_marker marker = {.start = event->start,
				 .end = event->is_open ? FIREFOX_OPEN : event->end,
				 .name = firefox_string(&profile->tables, event->name),
				 .kind = FIREFOX_DESCRIBED};

	append_arguments(profile, event->last, 0, text, append_arguments(profile, event->first, 0, text, 0));
	marker.values[0] = firefox_string(&profile->tables, event->category);
	marker.values[1] = firefox_string(&profile->tables, text);
	firefox_row_add_marker(&profile->rows, thread->row, &marker);
}

static void add_instant(void *user, const walk_thread *thread, const walk_span *event)
{
	firefox_profile *profile = user;

	if (span_walk_is_message(&profile->walk, event->first))
		add_message(profile, thread, event);
	else
		add_described(user, thread, event);
}

static void add_loss(void *user, const walk_thread *thread, uint64_t count, uint64_t time)
{
	firefox_profile *profile = user;
	const firefox_marker marker = {
		.start = time, .end = time, .name = FIREFOX_NONE, .kind = FIREFOX_LOSS, .values = {count}};

	firefox_row_add_marker(&profile->rows, thread != NULL ? thread->row : profile->process, &marker);
}

static void add_metric(void *user, const mprof_record *record, uint64_t time)
{
	firefox_profile *profile = user;
	const mprof_metric_value_record *value = &record->as.metric_value;
	mprof_record metric;
	char text[NAME_SIZE];
	firefox_marker marker = {.start = time, .end = time, .kind = FIREFOX_METRIC, .values = {value->value}};
	double number;

	if (record->kind != MPROF_RECORD_METRIC_VALUE ||
	    mprof_reader_lookup_record(profile->walk.input.reader, MPROF_RECORD_METRIC, record->id, &metric,
				       sizeof(metric)) != MPROF_OK)
		return;
	snprintf(text, sizeof(text), "%s: %s", metric.as.metric.section, metric.as.metric.name);
	if (!value->is_double && (metric.as.metric.flags & MPROF_METRIC_UNIT_MASK) == MPROF_METRIC_UNIT_BYTES) {
		firefox_counters_add(&profile->counters, record->id, text, time, value->value);
		return;
	}
	profile->thread_values += (metric.as.metric.flags & MPROF_METRIC_FLAG_THREAD) != 0;
	/* The schema of a marker has no unit of its own for each name. */
	if ((metric.as.metric.flags & MPROF_METRIC_UNIT_MASK) != 0)
		snprintf(text, sizeof(text), "%s: %s (%s)", metric.as.metric.section, metric.as.metric.name,
			 kind_of_metric_unit(&metric.as.metric));
	marker.name = firefox_string(&profile->tables, text);
	if (!value->is_double) {
		number = (double)(int64_t)value->value;
		memcpy(&marker.values[0], &number, sizeof(number));
	}
	firefox_row_add_marker(&profile->rows, profile->process, &marker);
}

static void add_memory(void *user, uint64_t thread, const mprof_event *event)
{
	firefox_profile *profile = user;

	live_counters_add(&profile->live, &profile->walk, thread_names_table_process_of(&profile->threads, thread),
			  thread, event);
}

static void add_live_value(void *user, const live_counter *counter, uint64_t time, uint64_t value)
{
	firefox_profile *profile = user;
	const thread_process *process = thread_names_table_find_process(&profile->threads, counter->process);
	char name[NAME_SIZE];

	if (process != NULL)
		snprintf(name, sizeof(name), "%s, process %" PRIu64, counter->name, process->pid);
	firefox_counters_add(&profile->counters, FIREFOX_HEAP_SIZE - 1 - counter->number,
			     process != NULL ? name : counter->name, time, value);
}

static uint64_t time_after(int64_t start, uint64_t duration)
{
	return (start > 0 ? (uint64_t)start : 0) + duration;
}

static void add_collections(firefox_profile *profile)
{
	const mprof_profile *log = profile->report->profile;
	mprof_collection collection = {.struct_size = sizeof(collection)};

	for (size_t i = 0; i < mprof_profile_get_row_count(log, MPROF_TABLE_COLLECTIONS); i++) {
		firefox_marker marker = {.name = FIREFOX_NONE, .kind = FIREFOX_COLLECTION};

		if (mprof_profile_get_row(log, MPROF_TABLE_COLLECTIONS, i, &collection) != MPROF_OK)
			continue;
		marker.start = time_after(collection.start_ns, 0);
		marker.end = collection.unfinished ? profile->walk.time
						   : time_after(collection.start_ns, collection.duration_ns);
		marker.values[0] = collection.number;
		marker.values[1] = collection.generation;
		marker.values[2] = collection.pause_ns;
		marker.values[3] = collection.mark_ns;
		marker.values[4] = collection.sweep_ns;
		marker.unknown = (uint32_t)!collection.has_pause << 2 | (uint32_t)(collection.mark_ns == 0) << 3 |
				 (uint32_t)(collection.sweep_ns == 0) << 4;
		firefox_row_add_marker(&profile->rows, profile->process, &marker);
	}
}

static void add_pauses(firefox_profile *profile)
{
	const mprof_profile *log = profile->report->profile;
	mprof_pause pause = {.struct_size = sizeof(pause)};

	for (size_t i = 0; i < mprof_profile_get_row_count(log, MPROF_TABLE_PAUSES); i++) {
		const walk_thread *thread;
		firefox_marker marker = {.name = FIREFOX_NONE, .kind = FIREFOX_WORLD_STOP};
		firefox_row *row = profile->process;

		if (mprof_profile_get_row(log, MPROF_TABLE_PAUSES, i, &pause) != MPROF_OK ||
		    pause.kind == MPROF_PAUSE_COLLECTION)
			continue;
		marker.start = time_after(pause.start_ns, 0);
		marker.end = time_after(pause.start_ns, pause.duration_ns);
		if (pause.kind == MPROF_PAUSE_WAIT) {
			thread = event_walk_thread(&profile->walk, pause.thread);
			row = thread != NULL && thread->row != NULL ? thread->row : row;
			marker.kind = FIREFOX_WAIT;
			marker.values[0] = firefox_class_name(&profile->tables, pause.class_id);
		}
		firefox_row_add_marker(&profile->rows, row, &marker);
	}
}

static void add_marks(firefox_profile *profile)
{
	const mprof_profile *log = profile->report->profile;
	mprof_mark mark = {.struct_size = sizeof(mark)};

	for (size_t i = 0; i < mprof_profile_get_row_count(log, MPROF_TABLE_MARKS); i++) {
		firefox_marker marker = {.kind = FIREFOX_USER_MARK};

		if (mprof_profile_get_row(log, MPROF_TABLE_MARKS, i, &mark) != MPROF_OK)
			continue;
		marker.start = time_after(mark.time_ns, 0);
		marker.end = marker.start;
		marker.name = firefox_string(&profile->tables, mark.text);
		firefox_row_add_marker(&profile->rows, profile->process, &marker);
	}
}

static void add_heap_sizes(firefox_profile *profile)
{
	const mprof_profile *log = profile->report->profile;
	mprof_heap_resize resize = {.struct_size = sizeof(resize)};
	/* The table does not have the processes, whose sizes would be one counter. */
	const int is_one = mprof_profile_get_row_count(log, MPROF_TABLE_PROCESSES) <= 1;

	for (size_t i = 0; is_one && mprof_profile_get_row(log, MPROF_TABLE_HEAP_RESIZES, i, &resize) == MPROF_OK; i++)
		firefox_counters_add(&profile->counters, FIREFOX_HEAP_SIZE, "Heap size", time_after(resize.time_ns, 0),
				     resize.bytes);
	if (!is_one && mprof_profile_get_row_count(log, MPROF_TABLE_HEAP_RESIZES) > 0)
		fputs("mprof: export: sizes of the heaps of several processes were left out\n", stderr);
}

static void finish_rows(firefox_profile *profile)
{
	add_kind_samples(profile);
	for (firefox_row *row = profile->rows.first; row != NULL; row = row->next)
		firefox_row_finish(&profile->rows, row);
	add_collections(profile);
	add_pauses(profile);
	add_marks(profile);
	add_heap_sizes(profile);
	live_counters_visit(&profile->live, &profile->walk, profile->report, add_live_value, profile);
	profile->rows.has_failed |= profile->live.has_failed;
}

/* The threads with most samples, and the process. Others can be shown with the list of threads. */
static void write_visible(firefox_profile *profile)
{
	json_writer *json = &profile->json;
	uint64_t least[MAX_VISIBLE] = {0};
	uint64_t number = 0;
	uint64_t busiest = 0;
	uint64_t shown = 0;

	for (const firefox_row *row = profile->rows.first; row != NULL; row = row->next) {
		size_t i = MAX_VISIBLE - 1;

		if (row->sample_count <= least[i])
			continue;
		for (; i > 0 && least[i - 1] < row->sample_count; i--)
			least[i] = least[i - 1];
		least[i] = row->sample_count;
	}
	json_begin_array(json, "initialVisibleThreads");
	for (const firefox_row *row = profile->rows.first; row != NULL; row = row->next) {
		if (!firefox_row_is_used(row))
			continue;
		if (row->is_process || (row->sample_count >= least[MAX_VISIBLE - 1] && shown++ < MAX_VISIBLE))
			json_unsigned(json, NULL, number);
		if (row->sample_count == least[0] && busiest == 0)
			busiest = number;
		number++;
	}
	json_end_array(json);
	json_begin_array(json, "initialSelectedThreads");
	json_unsigned(json, NULL, busiest);
	json_end_array(json);
}

static void write_fact(json_writer *json, const char *label, const char *value)
{
	json_begin_object(json, NULL);
	json_string(json, "label", label);
	json_string(json, "format", "string");
	json_string(json, "value", value);
	json_end_object(json);
}

/* What is missing is part of the profile. */
static void write_facts(firefox_profile *profile)
{
	json_writer *json = &profile->json;
	const log_summary *summary = &profile->report->summary;
	char text[NAME_SIZE];

	json_begin_array(json, "extra");
	json_begin_object(json, NULL);
	json_string(json, "label", "Log");
	json_begin_array(json, "entries");
	write_fact(json, "Main value", export_value_title(profile->value));
	if (summary->session.complete)
		snprintf(text, sizeof(text), "complete");
	else
		snprintf(text, sizeof(text), "incomplete: valid up to byte %" PRIu64, summary->session.valid_bytes);
	write_fact(json, "State", text);
	snprintf(text, sizeof(text), "%" PRIu64, profile->report->totals.lost_events);
	write_fact(json, "Lost events", text);
	if (profile->walk.short_calls > 0) {
		snprintf(text, sizeof(text), "%" PRIu64, profile->walk.short_calls);
		write_fact(json, "Shorter calls left out", text);
	}
	json_end_array(json);
	json_end_object(json);
	json_end_array(json);
}

static void write_meta(firefox_profile *profile)
{
	json_writer *json = &profile->json;
	const char *product = plain_text(&profile->tables.plain, thread_names_table_process(profile->report));
	uint64_t end = 0;

	for (const firefox_row *row = profile->rows.first; row != NULL; row = row->next)
		end = row->last > end ? row->last : end;
	json_begin_object(json, "meta");
	json_unsigned(json, "interval", 1);
	json_fixed(json, "startTime", profile->report->summary.session.start.time, 3);
	json_unsigned(json, "profilingStartTime", 0);
	/* The viewer ignores what is not before this time. */
	json_fixed(json, "profilingEndTime", end + 1, 6);
	json_unsigned(json, "processType", 0);
	json_string(json, "product", product != NULL ? product : "mprof");
	json_unsigned(json, "stackwalk", 1);
	json_unsigned(json, "version", GECKO_VERSION);
	json_unsigned(json, "preprocessedProfileVersion", PROCESSED_VERSION);
	json_string(json, "importedFrom", "mprof " MPROF_VERSION_STRING);
	json_boolean(json, "symbolicated", 1);
	json_boolean(json, "symbolicationNotSupported", 1);
	json_boolean(json, "usesOnlyOneStackType", 1);
	json_boolean(json, "sourceCodeIsNotOnSearchfox", 1);
	json_boolean(json, "keepProfileThreadOrder", 1);
	write_visible(profile);
	firefox_write_categories(json);
	firefox_write_marker_schemas(&profile->tables, json);
	write_facts(profile);
	json_end_object(json);
}

static void write_document(firefox_profile *profile)
{
	static const char *const weight_types[EXPORT_VALUES] = {[EXPORT_WALL] = "tracing-ms",
								[EXPORT_SAMPLES] = "samples",
								[EXPORT_ALLOCATIONS] = "samples",
								[EXPORT_BYTES] = "bytes",
								[EXPORT_KIND] = "samples"};
	char pid[TEXT_STREAM_NUMBER];
	const int is_time = profile->value == EXPORT_WALL ||
			    (profile->value == EXPORT_KIND && profile->kind.unit == MPROF_ARGUMENT_UNIT_NANOSECONDS);
	const int is_size = profile->value == EXPORT_KIND && profile->kind.unit == MPROF_ARGUMENT_UNIT_BYTES;
	const firefox_row_format format = {.weight_type = is_time   ? "tracing-ms"
							  : is_size ? "bytes"
								    : weight_types[profile->value],
					   .is_time = is_time,
					   .process_name = thread_names_table_process(profile->report),
					   .pid = pid,
					   .threads = &profile->threads};
	json_writer *json = &profile->json;

	snprintf(pid, sizeof(pid), "%" PRIu64, profile->threads.pid);
	json_begin_object(json, NULL);
	write_meta(profile);
	firefox_write_libraries(&profile->tables, json);
	firefox_counters_write(&profile->counters, json, &profile->tables.plain, format.pid);
	json_begin_array(json, "threads");
	for (const firefox_row *row = profile->rows.first; row != NULL; row = row->next) {
		if (firefox_row_is_used(row))
			firefox_row_write(&profile->rows, row, &profile->tables, json, &profile->numbers, &format);
	}
	json_end_array(json);
	/* Last, since the threads add strings. */
	firefox_write_shared(&profile->tables, json);
	json_end_object(json);
}

/* Finds the kind of the samples: the one that is requested, else the first one of time, else the first one. */
static void choose_kind(firefox_profile *profile, const export_job *job)
{
	mprof_sample_kind_stats kind = {.struct_size = sizeof(kind)};

	if (!export_value_find_kind(profile->report, 0, &profile->kind) || job->value == EXPORT_KIND)
		return;
	for (size_t i = 0;
	     mprof_profile_get_row(profile->report->profile, MPROF_TABLE_SAMPLE_KINDS, i, &kind) == MPROF_OK; i++) {
		if (kind.samples > 0 && kind.unit == MPROF_ARGUMENT_UNIT_NANOSECONDS) {
			profile->kind = kind;
			return;
		}
	}
}

/* The values that samples of the format can have; the default of a log with other content is time. */
static export_value choose_value(const export_job *job, const log_report *report)
{
	export_value value = job->value != EXPORT_VALUE_DEFAULT ? job->value : export_value_choose(report);

	return (export_firefox.values & EXPORT_VALUE_BIT(value)) != 0 ? value : EXPORT_WALL;
}

static int is_empty(const firefox_profile *profile, const log_report *report)
{
	uint64_t contents = profile->counters.first != NULL;

	for (const firefox_row *row = profile->rows.first; row != NULL; row = row->next)
		contents += row->sample_count + row->allocation_count + row->marker_count;
	return export_value_is_empty(report, contents - profile->thread_values, profile->thread_values);
}

static void release_profile(firefox_profile *profile)
{
	firefox_rows_release(&profile->rows);
	firefox_counters_release(&profile->counters);
	live_counters_release(&profile->live);
	firefox_tables_release(&profile->tables);
	key_map_clear(&profile->sampled_rows);
	free(profile->kind_samples);
	thread_names_table_release(&profile->threads);
	event_walk_release(&profile->walk);
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	static const walk_sink sink = {
		.begin_row = begin_row,
		.enter = enter,
		.leave = leave,
		.event = add_event,
		.sample = add_sample,
		.kind_sample = add_kind_sample,
		.end_span = add_described,
		.described = add_instant,
		.lost = add_loss,
		.metric = add_metric,
		.memory = add_memory,
	};
	static firefox_profile profile;
	int status = STATUS_NOTHING;

	memset(&profile, 0, sizeof(profile));
	profile.report = report;
	profile.rows.last = &profile.rows.first;
	profile.sampled_rows.value_size = sizeof(firefox_row *);
	profile.value = choose_value(job, report);
	choose_kind(&profile, job);
	if (job->value != EXPORT_VALUE_DEFAULT && !export_value_exists(report, job->value)) {
		export_value_note_missing(report, job->value);
		return STATUS_NOTHING;
	}
	profile.rows.has_failed = !thread_names_table_init(&profile.threads, report);
	firefox_tables_init(&profile.tables, report, &profile.walk.input);
	json_init(&profile.json, file->stream, 1);
	text_stream_init(&profile.numbers, file->stream);
	profile.process = firefox_rows_add(&profile.rows, 0, 0);
	if (profile.process != NULL) {
		profile.process->is_process = 1;
		status = event_walk_run(&profile.walk, job, report, &sink, &profile);
	} else {
		text_begin_message(report->input.name);
		fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
	}
	if (status == STATUS_OK) {
		finish_rows(&profile);
		write_document(&profile);
		event_walk_print_left_out(&profile.walk);
	}
	if (status == STATUS_OK && (profile.rows.has_failed || profile.rows.spool.has_failed ||
				    profile.tables.has_failed || profile.counters.has_failed)) {
		text_begin_message(report->input.name);
		fputs("no memory, or no space for temporary files, for the export\n", stderr);
		status = STATUS_NOTHING;
	}
	if (status == STATUS_OK && is_empty(&profile, report))
		status = export_value_note_empty(report, "firefox");
	release_profile(&profile);
	return status;
}

const export_target export_firefox = {
	.name = "firefox",
	.extension = ".firefox.json",
	.description = "JSON of the Firefox Profiler: calls or samples, spans, allocations, collections, waits, "
		       "markers, metrics",
	.lacks = "firefox holds one value for the call stacks, no numbers of calls, and no heap snapshots; --value "
		 "selects",
	.kind = EXPORT_EVENTS,
	.has_spans = 1,
	.options = EXPORT_HAS_WINDOW | EXPORT_HAS_MIN_DURATION,
	.values = EXPORT_VALUE_BIT(EXPORT_WALL) | EXPORT_VALUE_BIT(EXPORT_SAMPLES) |
		  EXPORT_VALUE_BIT(EXPORT_ALLOCATIONS) | EXPORT_VALUE_BIT(EXPORT_BYTES) | EXPORT_VALUE_BIT(EXPORT_KIND),
	.file_flags = EXPORT_FILE_TEXT,
	.viewer_limit = LARGE_FILE,
	.smaller = "use --time, --thread or --min-duration, or --to=folded, which the viewer opens as well",
	.write_report = write_report,
};
