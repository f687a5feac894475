/* SPDX-License-Identifier: MIT */
/* Writes the call stacks of a log as a profile of speedscope, of the type that has a weight for each call stack. */
#include "export/targets.h"

#include "common/exit_status.h"
#include "common/json.h"
#include "export/single_tree.h"
#include "export/speedscope_events.h"
#include "report/filters.h"

#include <mprof/version.h>

#include <inttypes.h>
#include <string.h>

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* Above this size, speedscope takes long to open a file; above about 2 GB, it fails. */
#define LARGE_FILE UINT64_C(500000000)

/* Single calls are written without being requested up to about this size of the file; the size of an event is typical.
 */
#define MAX_EVENTS_SIZE UINT64_C(50000000)
#define EVENT_SIZE 42

/* speedscope has no unit for numbers of something. */
static const char *unit_of(const stack_tree *tree)
{
	return strcmp(tree->unit, "count") == 0 ? "none" : tree->unit;
}

static void write_frame(json_writer *json, const stack_frame *frame)
{
	json_begin_object(json, NULL);
	json_string(json, "name", frame->name);
	if (frame->file != NULL)
		json_string(json, "file", frame->file);
	if (frame->file != NULL && frame->line > 0)
		json_unsigned(json, "line", frame->line);
	json_end_object(json);
}

/* Equal frames have equal indexes, since speedscope shows two indexes as two functions. Index 0 is no frame. */
static void write_frames(json_writer *json, const stack_tree *tree)
{
	const stack_frame none = {.name = SINGLE_TREE_NO_FRAME};

	json_begin_object(json, "shared");
	json_begin_array(json, "frames");
	for (size_t i = 0; i < tree->frame_count; i++)
		write_frame(json, i == tree->nodes[0].frame ? &none : &tree->frames[i]);
	json_end_array(json);
	json_end_object(json);
}

/* Returns 0 if out of memory. */
static int write_stacks(json_writer *json, const stack_tree *tree)
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
			json_unsigned(json, NULL, tree->nodes[0].frame);
		for (size_t j = 0; is_written && j < stack.count; j++)
			json_unsigned(json, NULL, stack.frames[j]);
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

static int write_tree(json_writer *json, const log_report *report, const stack_tree *tree)
{
	char title[160];
	int is_written;

	json_begin_object(json, NULL);
	json_string(json, "$schema", SCHEMA);
	json_string(json, "exporter", "mprof@" MPROF_VERSION_STRING);
	json_string(json, "name", report->input.name);
	json_unsigned(json, "activeProfileIndex", 0);
	write_frames(json, tree);
	json_begin_array(json, "profiles");
	json_begin_object(json, NULL);
	json_string(json, "type", "sampled");
	/* The viewer shows the samples of a profile also as if they were in the order of time. */
	if (tree->is_folded)
		snprintf(title, sizeof(title),
			 "%s (sums, not in the order of time; frames deeper than %" PRIu32 " are one)",
			 export_value_title(tree->value), tree->max_depth);
	else
		snprintf(title, sizeof(title), "%s (sums, not in the order of time)", export_value_title(tree->value));
	json_string(json, "name", title);
	json_string(json, "unit", unit_of(tree));
	json_unsigned(json, "startValue", 0);
	json_unsigned(json, "endValue", tree->nodes[0].total);
	is_written = write_stacks(json, tree);
	write_weights(json, tree);
	json_end_object(json);
	json_end_array(json);
	json_end_object(json);
	return is_written;
}

/* Whether options are given that apply to sums of call stacks only. */
static int needs_sums(const export_job *job, const log_report *report)
{
	return report_filters_frames(report) || report->options.class_pattern != NULL || job->has_max_depth;
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
	json_writer json;
	stack_tree *tree;
	int status;
	int is_written;

	if (wants_events(job, report))
		return write_calls(job, report, file);
	status = single_tree_create(job, report, choose_value(job, report), stack_size_digits, &tree);
	if (tree == NULL)
		return status;
	json_init(&json, file->stream, 1);
	is_written = single_tree_check(job, report, tree, stack_size_digits, file) && write_tree(&json, report, tree);
	stack_tree_destroy(tree);
	return is_written ? status : single_tree_lack_memory(report);
}

const export_target export_speedscope = {
	.name = "speedscope",
	.extension = ".speedscope.json",
	.description = "JSON of speedscope: single calls of threads, or sums of call stacks",
	.lacks = "speedscope holds one value, and single calls (see --events) or sums by call stack; collections, "
		 "waits and markers are left out, and numbers above 2^53 are rounded",
	.kind = EXPORT_AGGREGATED,
	.options = EXPORT_HAS_FRAME_FILTERS | EXPORT_HAS_WINDOW | EXPORT_HAS_AT | EXPORT_HAS_EVENTS |
		   EXPORT_HAS_MIN_DURATION | EXPORT_HAS_MAX_DEPTH | EXPORT_HAS_CLASS,
	.values = EXPORT_ALL_VALUES,
	.file_flags = EXPORT_FILE_TEXT,
	.viewer_limit = LARGE_FILE,
	.stack_limit = LARGE_FILE,
	.smaller = "use --time, --thread or --focus, or --to=pprof",
	.write_report = write_report,
};
