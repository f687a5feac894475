/* SPDX-License-Identifier: MIT */
/* Writes the functions and calls of a log in the format of callgrind. */
#include "export/targets.h"

#include "common/arguments.h"
#include "export/call_graph.h"
#include "export/intern.h"
#include "export/single_tree.h"

#include <mprof/base.h>

#include <inttypes.h>
#include <string.h>

/* The text for a file or an object that is not known, as callgrind writes it. */
#define UNKNOWN_FILE "???"

/* What calls the outermost frames: callgrind_annotate takes the total of a function from the calls to it. */
#define OUTERMOST_CALLER "(all threads)"

typedef struct callgrind_writer {
	FILE *stream;
	const stack_tree *tree;
	const call_graph *graph;
	plain_buffer plain;
	intern_table objects; /* The numbers that replace names from their second use on. */
	intern_table files;
	intern_table functions;
	int has_failed;
} callgrind_writer;

static void write_name(callgrind_writer *writer, const char *key, intern_table *table, const char *name)
{
	const char *text = plain_text(&writer->plain, name != NULL ? name : UNKNOWN_FILE);
	uint32_t index = 0;
	int is_new = text != NULL ? intern_add(table, text, strlen(text), &index) : -1;

	writer->has_failed |= is_new < 0;
	fprintf(writer->stream, "%s=(%" PRIu32 ")%s%s\n", key, index + 1, is_new > 0 ? " " : "",
		is_new > 0 ? text : "");
}

static const char *function_name(const callgrind_writer *writer, uint32_t frame)
{
	return frame == writer->tree->nodes[0].frame ? OUTERMOST_CALLER : writer->tree->frames[frame].name;
}

/* A cost line without a count of calls before it would be counted as own cost. */
static uint64_t count_of(const graph_call *call)
{
	return call->count > 0 ? call->count : call->paths;
}

static void write_call(callgrind_writer *writer, const graph_call *call, uint32_t line)
{
	const stack_frame *callee = &writer->tree->frames[call->callee];

	write_name(writer, "cob", &writer->objects, callee->module);
	write_name(writer, "cfi", &writer->files, callee->file);
	write_name(writer, "cfn", &writer->functions, callee->name);
	fprintf(writer->stream, "calls=%" PRIu64 " %" PRIu32 "\n", count_of(call), callee->line);
	fprintf(writer->stream, "%" PRIu32 " %" PRIu64 "\n", line, call->inclusive);
}

static void write_function(callgrind_writer *writer, uint32_t index)
{
	const stack_frame *frame = &writer->tree->frames[index];
	const graph_frame *sums = &writer->graph->frames[index];

	putc('\n', writer->stream);
	write_name(writer, "ob", &writer->objects, frame->module);
	write_name(writer, "fl", &writer->files, frame->file);
	write_name(writer, "fn", &writer->functions, function_name(writer, index));
	fprintf(writer->stream, "%" PRIu32 " %" PRIu64 "\n", stack_frame_line(frame), sums->self);
	for (size_t i = 0; i < sums->call_count; i++)
		write_call(writer, &writer->graph->calls[sums->first_call + i], stack_frame_line(frame));
}

static void write_header(callgrind_writer *writer, const log_report *report)
{
	const char *name = plain_text(&writer->plain, report->input.name);

	fputs("# callgrind format\nversion: 1\ncreator: mprof " MPROF_VERSION_STRING "\n", writer->stream);
	fprintf(writer->stream, "cmd: %s\n", name != NULL ? name : "");
	fprintf(writer->stream, "desc: Value: %s (%s)\n", export_value_title(writer->tree->value), writer->tree->unit);
	if (report->totals.lost_events > 0)
		fprintf(writer->stream, "desc: Losses: %" PRIu64 " events were lost\n", report->totals.lost_events);
	if (!report->summary.session.complete || writer->tree->is_incomplete)
		fputs("desc: State: the log is incomplete\n", writer->stream);
	fprintf(writer->stream, "positions: line\nevents: %s\nsummary: %" PRIu64 "\n",
		export_value_name(writer->tree->value), writer->tree->nodes[0].total);
}

static int write_graph(FILE *stream, const log_report *report, const stack_tree *tree, const call_graph *graph)
{
	callgrind_writer writer = {.stream = stream, .tree = tree, .graph = graph};

	write_header(&writer, report);
	for (size_t i = 0; i < graph->frame_count; i++)
		write_function(&writer, (uint32_t)i);
	plain_text_release(&writer.plain);
	intern_release(&writer.objects);
	intern_release(&writer.files);
	intern_release(&writer.functions);
	return !writer.has_failed;
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	call_graph graph;
	stack_tree *tree;
	int status = single_tree_create(job, report, job->value, NULL, &tree);
	int is_written;

	if (tree == NULL)
		return status;
	is_written = call_graph_make(&graph, tree) && write_graph(file->stream, report, tree, &graph);
	call_graph_release(&graph);
	stack_tree_destroy(tree);
	return is_written ? status : single_tree_lack_memory(report);
}

const export_target export_callgrind = {
	.name = "callgrind",
	.extension = ".callgrind",
	.description = "functions and the calls between them, for KCachegrind and callgrind_annotate",
	.lacks =
		"callgrind holds one value, and calls instead of call stacks: a recursive call has no inclusive value, "
		"and where the number of calls is unknown, the number of call paths is given",
	.kind = EXPORT_AGGREGATED,
	.options = EXPORT_HAS_FRAME_FILTERS | EXPORT_HAS_WINDOW | EXPORT_HAS_AT | EXPORT_HAS_CLASS | EXPORT_HAS_LINES,
	.values = EXPORT_ALL_VALUES,
	.file_flags = EXPORT_FILE_TEXT,
	.write_report = write_report,
};
