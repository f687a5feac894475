/* SPDX-License-Identifier: MIT */
/* Writes the call stacks of a log as a profile of speedscope, of the type that has a weight for each call stack. */
#include "common/arguments.h"
#include "common/json.h"
#include "export/event_walk.h"
#include "export/single_tree.h"
#include "export/targets.h"
#include "export/text_stream.h"
#include "export/thread_table.h"
#include "report/filters.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Writes profiles of speedscope of the type that has the beginning and the end of each call. */

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* speedscope has no unit for numbers of something. */
static const char *unit_of(const stack_tree *tree)
{
	return strcmp(tree->unit, "nanoseconds") == 0 || strcmp(tree->unit, "bytes") == 0 ? tree->unit : "none";
}

/* Trees that are profiles of one file. */
typedef struct tree_list {
	stack_tree **trees;
	size_t count;
} tree_list;

static void release_trees(tree_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		stack_tree_destroy(list->trees[i]);
	free(list->trees);
}

static void write_frame(json_writer *json, const stack_frame *frame)
{
	json_begin_object(json, NULL);
	json_string(json, "name", frame->name);
	if (frame->file != NULL)
		json_string(json, "file", frame->file);
	if (frame->file != NULL && stack_frame_line(frame) > 0)
		json_unsigned(json, "line", stack_frame_line(frame));
	json_end_object(json);
}

/*
 * Writes the frames of the trees, those of each tree after those of the trees before. Equal frames of a tree have equal
 * indexes, since speedscope shows two indexes as two functions. The first index of each tree is no frame.
 */
static void write_frames(json_writer *json, const tree_list *list)
{
	const stack_frame none = {.name = SINGLE_TREE_NO_FRAME};

	for (size_t i = 0; i < list->count; i++) {
		const stack_tree *tree = list->trees[i];

		for (size_t j = 0; j < tree->frame_count; j++)
			write_frame(json, j == tree->nodes[0].frame ? &none : &tree->frames[j]);
	}
}

/* base: the index of the first frame of the tree. Returns 0 if out of memory. */
static int write_stacks(json_writer *json, const stack_tree *tree, uint64_t base)
{
	single_stack stack = {0};
	int is_written = 1;

	json_begin_array(json, "samples");
	for (size_t i = 0; i < tree->node_count && is_written; i++) {
		if (tree->nodes[i].self == 0)
			continue;
		is_written = single_tree_stack(tree, (uint32_t)i, &stack);
		json_begin_array(json, NULL);
		if (i == 0)
			json_unsigned(json, NULL, base + tree->nodes[0].frame);
		for (size_t j = 0; is_written && j < stack.count; j++)
			json_unsigned(json, NULL, base + stack.frames[j]);
		json_end_array(json);
	}
	json_end_array(json);
	single_stack_release(&stack);
	return is_written;
}

static void write_weights(json_writer *json, const stack_tree *tree)
{
	json_begin_array(json, "weights");
	for (size_t i = 0; i < tree->node_count; i++) {
		if (tree->nodes[i].self > 0)
			json_unsigned(json, NULL, tree->nodes[i].self);
	}
	json_end_array(json);
}

/* What a profile is about, with the unit if speedscope does not have it. */
static void title_of(const stack_tree *tree, char *title, size_t size)
{
	const int has_unit = strcmp(unit_of(tree), tree->unit) == 0 || strcmp(tree->unit, "count") == 0;

	if (tree->kind == NULL)
		snprintf(title, size, "%s", export_value_title(tree->value));
	else
		snprintf(title, size, "Samples of %s%s%s", tree->kind, has_unit ? "" : " by ",
			 has_unit ? "" : tree->unit);
}

/* The viewer shows the samples of a profile also as if they were in the order of time. */
static void write_title(json_writer *json, const stack_tree *tree)
{
	static const char note[] = "(sums, not in the order of time";
	char subject[128];
	char title[256];

	title_of(tree, subject, sizeof(subject));
	if (tree->is_folded)
		snprintf(title, sizeof(title), "%s %s; frames deeper than %" PRIu32 " are one)", subject, note,
			 tree->max_depth);
	else
		snprintf(title, sizeof(title), "%s %s)", subject, note);
	json_string(json, "name", title);
}

/* Returns 0 if out of memory. */
static int write_profiles(json_writer *json, const tree_list *list, uint64_t base)
{
	int is_written = 1;

	for (size_t i = 0; i < list->count && is_written; i++) {
		const stack_tree *tree = list->trees[i];

		json_begin_object(json, NULL);
		json_string(json, "type", "sampled");
		write_title(json, tree);
		json_string(json, "unit", unit_of(tree));
		json_unsigned(json, "startValue", 0);
		json_unsigned(json, "endValue", tree->nodes[0].total);
		is_written = write_stacks(json, tree, base);
		write_weights(json, tree);
		json_end_object(json);
		base += tree->frame_count;
	}
	return is_written;
}

static int write_trees(json_writer *json, const log_report *report, const tree_list *list)
{
	int is_written;

	json_begin_object(json, NULL);
	json_string(json, "$schema", SCHEMA);
	json_string(json, "exporter", "mprof@" MPROF_VERSION_STRING);
	json_string(json, "name", report->input.name);
	json_unsigned(json, "activeProfileIndex", 0);
	json_begin_object(json, "shared");
	json_begin_array(json, "frames");
	write_frames(json, list);
	json_end_array(json);
	json_end_object(json);
	json_begin_array(json, "profiles");
	is_written = write_profiles(json, list, 0);
	json_end_array(json);
	json_end_object(json);
	return is_written;
}

/* Adds the tree of a value to a list that has room for it. Returns a status like single_tree_create(). */
static int add_tree(tree_list *list, const export_job *job, const log_report *report, export_value value,
		    export_file *file)
{
	stack_tree *tree;
	int status = single_tree_create(job, report, value, stack_size_digits, &tree);

	if (tree == NULL)
		return status;
	list->trees[list->count++] = tree;
	return single_tree_check(job, report, tree, stack_size_digits, file) ? status : single_tree_lack_memory(report);
}

/*
 * Adds a tree for each kind of samples, after that of the value of the job: unless one value is requested, or with
 * options that other values have. Returns the worse of two statuses.
 */
static int add_kinds(tree_list *list, const export_job *job, const log_report *report, export_file *file, int status)
{
	mprof_sample_kind_stats kind = {.struct_size = sizeof(kind)};
	export_job of_kind = *job;

	if (job->has_value || (list->count > 0 && (job->heap_shot > 0 || report->options.class_pattern != NULL)))
		return status;
	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_SAMPLE_KINDS, i, &kind) == MPROF_OK;
	     i++) {
		int added;

		if (kind.samples == 0)
			continue;
		of_kind.sample_kind = kind.type;
		added = add_tree(list, &of_kind, report, EXPORT_KIND, file);
		status = added > status ? added : status;
	}
	return status;
}

/* Makes room for the trees of a value and of each kind. Returns 0 if out of memory. */
static int reserve_trees(tree_list *list, const log_report *report)
{
	const size_t kinds = mprof_profile_get_row_count(report->profile, MPROF_TABLE_SAMPLE_KINDS);

	list->trees = calloc(kinds + 1, sizeof(stack_tree *));
	return list->trees != NULL;
}

/* The beginning or the end of a call. */
typedef struct call_event {
	uint64_t time;
	uint32_t frame;
	uint32_t is_end;
} call_event;

typedef struct speedscope_row {
	spool_stream events;
	uint64_t thread;
	uint64_t first;
	uint64_t last;
	uint64_t count;
	struct speedscope_row *next;
} speedscope_row;

/* An entry of speedscope_calls::frames. */
typedef struct frame_entry {
	uint64_t method;
	uint64_t number; /* From 1. */
} frame_entry;

typedef struct speedscope_calls {
	const log_report *report;
	thread_table threads;
	json_writer json;
	event_walk walk;
	tree_list kinds; /* Of samples. */
	spool spool;
	speedscope_row *rows; /* In order. */
	speedscope_row **last_row;
	key_map frames;
	uint32_t *methods; /* By frame. */
	size_t method_capacity;
	plain_buffer plain;
	int has_failed;
} speedscope_calls;

static void *begin_row(void *user, const walk_thread *thread)
{
	speedscope_calls *calls = user;
	speedscope_row *row = calloc(1, sizeof(*row));

	if (row == NULL)
		return NULL;
	row->thread = thread->id;
	row->first = thread->time;
	*calls->last_row = row;
	calls->last_row = &row->next;
	return row;
}

/* The index of the frame of a method. speedscope shows two indexes as two functions, so a method has one. */
static uint32_t frame_of(speedscope_calls *calls, uint32_t method)
{
	frame_entry *entry = key_map_put(&calls->frames, method);

	if (entry != NULL && entry->number != 0)
		return (uint32_t)entry->number - 1;
	if (entry != NULL && calls->frames.count > calls->method_capacity) {
		size_t capacity = 2 * calls->method_capacity + 256;
		uint32_t *methods = realloc(calls->methods, capacity * sizeof(*methods));

		if (methods == NULL)
			entry = NULL;
		else {
			calls->methods = methods;
			calls->method_capacity = capacity;
		}
	}
	if (entry == NULL) {
		calls->has_failed = 1;
		return 0;
	}
	entry->number = calls->frames.count;
	calls->methods[entry->number - 1] = method;
	return (uint32_t)entry->number - 1;
}

static void add_call(speedscope_calls *calls, speedscope_row *row, uint32_t method, uint64_t time, uint32_t is_end)
{
	const call_event event = {.time = time, .frame = frame_of(calls, method), .is_end = is_end};

	spool_add(&calls->spool, &row->events, &event, sizeof(event));
	row->last = time;
	row->count++;
}

static void enter(void *user, const walk_thread *thread, uint32_t method, uint64_t time, int is_resumed)
{
	(void)is_resumed;
	add_call(user, thread->row, method, time, 0);
}

static void leave(void *user, const walk_thread *thread, uint32_t method, uint64_t time)
{
	add_call(user, thread->row, method, time, 1);
}

/* What write_event() needs. */
typedef struct event_writer {
	text_stream out;
	int is_first;
} event_writer;

static void write_event(void *user, const void *record)
{
	event_writer *writer = user;
	const call_event *event = record;
	const char *start = event->is_end ? ",{\"type\":\"C\",\"frame\":" : ",{\"type\":\"O\",\"frame\":";

	text_stream_string(&writer->out, start + writer->is_first);
	text_stream_unsigned(&writer->out, event->frame);
	text_stream_string(&writer->out, ",\"at\":");
	text_stream_unsigned(&writer->out, event->time);
	text_stream_character(&writer->out, '}');
	writer->is_first = 0;
}

static void write_row(speedscope_calls *calls, const speedscope_row *row)
{
	json_writer *json = &calls->json;
	char name[THREAD_NAME_SIZE];
	event_writer writer = {.is_first = 1};

	text_stream_init(&writer.out, json->file);
	thread_names_table_name(&calls->threads, row->thread, name);
	json_begin_object(json, NULL);
	json_string(json, "type", "evented");
	json_string(json, "name", name);
	json_string(json, "unit", "nanoseconds");
	json_unsigned(json, "startValue", row->first);
	json_unsigned(json, "endValue", row->last);
	json_begin_array(json, "events");
	spool_read(&calls->spool, &row->events, sizeof(call_event), write_event, &writer);
	text_stream_flush(&writer.out);
	json_end_array(json);
	json_end_object(json);
}

static void write_methods(speedscope_calls *calls)
{
	json_writer *json = &calls->json;

	json_begin_object(json, "shared");
	json_begin_array(json, "frames");
	for (size_t i = 0; i < calls->frames.count; i++) {
		method_name method;
		const char *name =
			plain_text(&calls->plain, names_full_method(calls->walk.input.names, calls->methods[i]));

		names_method(calls->walk.input.reader, calls->methods[i], &method);
		calls->has_failed |= name == NULL;
		json_begin_object(json, NULL);
		json_string(json, "name", name);
		if (method.file != NULL)
			json_string(json, "file", method.file);
		if (method.file != NULL && method.line > 0)
			json_unsigned(json, "line", method.line);
		json_end_object(json);
	}
	write_frames(json, &calls->kinds);
	json_end_array(json);
	json_end_object(json);
}

/* The thread with most calls is shown first. */
static uint64_t busiest_row(const speedscope_calls *calls)
{
	uint64_t found = 0;
	uint64_t most = 0;
	uint64_t index = 0;

	for (const speedscope_row *row = calls->rows; row != NULL; row = row->next) {
		if (row->count == 0)
			continue;
		if (row->count > most) {
			most = row->count;
			found = index;
		}
		index++;
	}
	return found;
}

static void write_document(speedscope_calls *calls)
{
	json_writer *json = &calls->json;

	json_begin_object(json, NULL);
	json_string(json, "$schema", SCHEMA);
	json_string(json, "exporter", "mprof@" MPROF_VERSION_STRING);
	json_string(json, "name", calls->report->input.name);
	json_unsigned(json, "activeProfileIndex", busiest_row(calls));
	write_methods(calls);
	json_begin_array(json, "profiles");
	for (const speedscope_row *row = calls->rows; row != NULL; row = row->next) {
		if (row->count > 0)
			write_row(calls, row);
	}
	calls->has_failed |= !write_profiles(json, &calls->kinds, calls->frames.count);
	json_end_array(json);
	json_end_object(json);
}

static void release_calls(speedscope_calls *calls)
{
	while (calls->rows != NULL) {
		speedscope_row *row = calls->rows;

		calls->rows = row->next;
		spool_stream_release(&row->events);
		free(row);
	}
	release_trees(&calls->kinds);
	spool_release(&calls->spool);
	key_map_clear(&calls->frames);
	thread_names_table_release(&calls->threads);
	free(calls->methods);
	plain_text_release(&calls->plain);
	event_walk_release(&calls->walk);
}

/* Writes the calls of a log. Returns an exit status like export_target::write_report. */
static int speedscope_write_events(const export_job *job, const log_report *report, export_file *file)
{
	static const walk_sink sink = {.begin_row = begin_row, .enter = enter, .leave = leave};
	speedscope_calls calls = {.report = report, .frames.value_size = sizeof(uint64_t)};
	int status;

	calls.last_row = &calls.rows;
	json_init(&calls.json, file->stream, 1);
	calls.has_failed = !thread_names_table_init(&calls.threads, report) || !reserve_trees(&calls.kinds, report);
	status = event_walk_run(&calls.walk, job, report, &sink, &calls);
	if (status == STATUS_OK && !calls.has_failed)
		status = add_kinds(&calls.kinds, job, report, file, status);
	if (status == STATUS_OK) {
		write_document(&calls);
		event_walk_print_left_out(&calls.walk);
	}
	if (status == STATUS_OK && (calls.has_failed || calls.spool.has_failed)) {
		text_begin_message(report->input.name);
		fputs("no memory, or no space for temporary files, for the export\n", stderr);
		status = STATUS_NOTHING;
	}
	release_calls(&calls);
	return status;
}

/* Above this size, speedscope takes long to open a file; above about 2 GB, it fails. */
#define LARGE_FILE UINT64_C(500000000)

/* Single calls are written without being requested up to about this size of the file; the size of an event is typical.
 */
#define MAX_EVENTS_SIZE UINT64_C(50000000)
#define EVENT_SIZE 42

/* Whether options are given that apply to sums of call stacks only. */
static int needs_sums(const export_job *job, const log_report *report)
{
	return report_filters_frames(report) || report->options.class_pattern != NULL || job->has_max_depth ||
	       job->by_line;
}

/* Whether single calls are written: if requested, or if they are the main content and the file is not large. */
static int wants_events(const export_job *job, const log_report *report)
{
	const uint64_t calls = report->totals.event_counts[MPROF_EVENT_METHOD_ENTER];

	if (job->wants_events || job->min_duration_ns > 0)
		return 1;
	return job->value == EXPORT_VALUE_DEFAULT && export_value_choose(report) == EXPORT_WALL &&
	       !needs_sums(job, report) && 2 * calls * EVENT_SIZE <= MAX_EVENTS_SIZE;
}

/* These options and values other than time apply to sums. */
static int refuse_events(void)
{
	fputs("mprof: export: single calls of speedscope have no --focus, --ignore, --hide, --collapse, --class and "
	      "--max-depth, and no --value but wall\n",
	      stderr);
	return STATUS_USAGE;
}

static int write_calls(const export_job *job, const log_report *report, export_file *file)
{
	if (needs_sums(job, report) || (job->value != EXPORT_VALUE_DEFAULT && job->value != EXPORT_WALL))
		return refuse_events();
	return speedscope_write_events(job, report, file);
}

/* Samples are shown as the time that they stand for, if the log has it: viewers label the axis with the unit. */
static export_value choose_value(const export_job *job, const log_report *report)
{
	if (job->value == EXPORT_VALUE_DEFAULT && export_value_choose(report) == EXPORT_SAMPLES &&
	    export_value_exists(report, EXPORT_CPU))
		return EXPORT_CPU;
	return job->value;
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	tree_list list = {0};
	json_writer json;
	int status;

	if (wants_events(job, report))
		return write_calls(job, report, file);
	if (!reserve_trees(&list, report))
		return single_tree_lack_memory(report);
	status = STATUS_OK;
	if (job->has_value || export_value_choose(report) != EXPORT_KIND)
		status = add_tree(&list, job, report, choose_value(job, report), file);
	if (status == STATUS_OK || status == STATUS_DAMAGED)
		status = add_kinds(&list, job, report, file, status);
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		json_init(&json, file->stream, 1);
		if (!write_trees(&json, report, &list))
			status = single_tree_lack_memory(report);
	}
	release_trees(&list);
	return status;
}

const export_target export_speedscope = {
	.name = "speedscope",
	.extension = ".speedscope.json",
	.description = "JSON of speedscope: single calls of threads, or sums of call stacks",
	.lacks = "speedscope holds one value, samples of kinds, and single calls (see --events) or sums by call stack; "
		 "collections, "
		 "waits and markers are left out, and numbers above 2^53 are rounded",
	.kind = EXPORT_AGGREGATED,
	.options = EXPORT_HAS_FRAME_FILTERS | EXPORT_HAS_WINDOW | EXPORT_HAS_AT | EXPORT_HAS_EVENTS | EXPORT_HAS_LINES |
		   EXPORT_HAS_MIN_DURATION | EXPORT_HAS_MAX_DEPTH | EXPORT_HAS_CLASS,
	.values = EXPORT_ALL_VALUES,
	.file_flags = EXPORT_FILE_TEXT,
	.viewer_limit = LARGE_FILE,
	.stack_limit = LARGE_FILE,
	.smaller = "use --time, --thread or --focus, or --to=pprof",
	.write_report = write_report,
};
