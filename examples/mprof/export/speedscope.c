/* SPDX-License-Identifier: MIT */
/* Writes the call stacks of a log as a profile of speedscope, of the type that has a weight for each call stack. */
#include "export/speedscope.h"

#include "common/json.h"
#include "export/single_tree.h"

#include <mprof/version.h>

#include <string.h>

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* Above this size, speedscope takes long to open a file; above about 2 GB, it fails. */
#define LARGE_FILE UINT64_C(500000000)

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
	json_string(json, "name", export_value_title(tree->value));
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

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	json_writer json;
	stack_tree *tree;
	int status = single_tree_create(job, report, &tree);
	int is_written;

	if (tree == NULL)
		return status;
	json_init(&json, file->stream, 1);
	is_written = write_tree(&json, report, tree);
	stack_tree_destroy(tree);
	return is_written ? status : single_tree_lack_memory(report);
}

const export_target export_speedscope = {
	.name = "speedscope",
	.extension = ".speedscope.json",
	.description = "JSON of speedscope: the sums of call stacks",
	.lacks = "speedscope holds one value; the order of events, collections and threads are left out, and "
		 "numbers above 2^53 are rounded",
	.kind = EXPORT_AGGREGATED,
	.options = EXPORT_HAS_FRAME_FILTERS | EXPORT_HAS_WINDOW | EXPORT_HAS_AT,
	.values = EXPORT_ALL_VALUES,
	.file_flags = EXPORT_FILE_TEXT,
	.viewer_limit = LARGE_FILE,
	.smaller = "use --time, --thread or --focus, or --to=pprof",
	.write_report = write_report,
};
