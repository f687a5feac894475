/* SPDX-License-Identifier: MIT */
/* Writes a graph of the functions with the greatest values for Graphviz. */
#include "export/targets.h"

#include "common/arguments.h"
#include "export/call_graph.h"
#include "export/single_tree.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Larger graphs are hard to read. */
#define DEFAULT_FUNCTIONS 60

/* Sizes of the text of a function, by its share of the whole. */
#define MIN_FONT 8
#define FONT_RANGE 24

/* Bytes of a name that are written. */
#define MAX_LABEL 2000

typedef struct dot_writer {
	FILE *stream;
	const stack_tree *tree;
	const call_graph *graph;
	plain_buffer plain;
	char *is_shown; /* By frame. */
	size_t shown;
	int has_failed;
} dot_writer;

/* A frame and its total, to be sorted. */
typedef struct ranked_frame {
	uint64_t total;
	uint64_t self;
	uint32_t frame;
} ranked_frame;

static int compare_ranks(const void *left, const void *right)
{
	const ranked_frame *a = left;
	const ranked_frame *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* Chooses the frames to be shown. Returns 0 if out of memory. */
static int choose_frames(dot_writer *writer, uint64_t top)
{
	size_t count = writer->graph->frame_count;
	ranked_frame *ranks = calloc(count + 1, sizeof(*ranks));
	size_t used = 0;
	int is_chosen;

	writer->is_shown = calloc(count + 1, 1);
	is_chosen = ranks != NULL && writer->is_shown != NULL;
	if (is_chosen) {
		for (size_t i = 0; i < count; i++) {
			const graph_frame *frame = &writer->graph->frames[i];

			ranks[used].total = frame->total;
			ranks[used].self = frame->self;
			ranks[used].frame = (uint32_t)i;
			used += i != writer->tree->nodes[0].frame && frame->total > 0;
		}
		qsort(ranks, used, sizeof(*ranks), compare_ranks);
		writer->shown = used < top ? used : (size_t)top;
		for (size_t i = 0; i < writer->shown; i++)
			writer->is_shown[ranks[i].frame] = 1;
	}
	free(ranks);
	return is_chosen;
}

/* Writes text inside of quotes. A backslash would begin an escape sequence. Graphviz refuses strings of 16 kB. */
static void write_text(dot_writer *writer, const char *name)
{
	const char *text = plain_text(&writer->plain, name);
	size_t written = 0;

	writer->has_failed |= text == NULL;
	/* Only the first byte of a character has other upper bits than the bytes after it. */
	for (; text != NULL && *text != '\0' && (written < MAX_LABEL || (*text & 0xc0) == 0x80); text++, written++) {
		if (*text == '"' || *text == '\\')
			putc('\\', writer->stream);
		putc(*text, writer->stream);
	}
	if (text != NULL && *text != '\0')
		fputs("...", writer->stream);
}

static void write_amount(const dot_writer *writer, const char *label, uint64_t amount)
{
	char value[TEXT_NUMBER_SIZE];
	char share[TEXT_NUMBER_SIZE];

	fprintf(writer->stream, "\\n%s %s (%s)", label, export_value_format(writer->tree->value, value, amount),
		text_percent(share, amount, writer->tree->nodes[0].total));
}

/* The exact values are attributes of their own, for programs that process the graph. */
static void write_function(dot_writer *writer, uint32_t index)
{
	const graph_frame *sums = &writer->graph->frames[index];
	const uint64_t whole = writer->tree->nodes[0].total;
	double share = whole > 0 ? (double)sums->self / (double)whole : 0;

	fprintf(writer->stream, "  n%" PRIu32 " [label=\"", index);
	write_text(writer, writer->tree->frames[index].name);
	write_amount(writer, "self", sums->self);
	write_amount(writer, "total", sums->total);
	fprintf(writer->stream, "\", fontsize=%d, self=%" PRIu64 ", total=%" PRIu64 "];\n",
		MIN_FONT + (int)(share * FONT_RANGE), sums->self, sums->total);
}

static void write_call(const dot_writer *writer, const graph_call *call)
{
	char value[TEXT_NUMBER_SIZE];

	fprintf(writer->stream, "  n%" PRIu32 " -> n%" PRIu32 " [label=\"%s", call->caller, call->callee,
		export_value_format(writer->tree->value, value, call->inclusive));
	if (call->count > 0)
		fprintf(writer->stream, "\\n%s x", text_count(value, call->count));
	fprintf(writer->stream, "\", inclusive=%" PRIu64 ", count=%" PRIu64 "];\n", call->inclusive, call->count);
}

/* The title states what the graph leaves out. */
static void write_title(dot_writer *writer, const log_report *report)
{
	char value[TEXT_NUMBER_SIZE];
	char count[TEXT_NUMBER_SIZE];
	size_t all = 0;

	for (size_t i = 0; i < writer->graph->frame_count; i++)
		all += i != writer->tree->nodes[0].frame && writer->graph->frames[i].total > 0;
	fputs("digraph mprof {\n  label=\"", writer->stream);
	write_text(writer, report->input.name);
	fprintf(writer->stream, "\\n%s: %s", export_value_title(writer->tree->value),
		export_value_format(writer->tree->value, value, writer->tree->nodes[0].total));
	if (writer->shown < all) {
		fprintf(writer->stream, "\\n%s of %s functions", text_count(value, writer->shown),
			text_count(count, all));
	}
	if (report->totals.lost_events > 0)
		fprintf(writer->stream, "\\n%s events were lost", text_count(count, report->totals.lost_events));
	if (!report->summary.session.complete || writer->tree->is_incomplete)
		fputs("\\nthe log is incomplete", writer->stream);
	fputs("\";\n  labelloc=t;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontsize=8];\n",
	      writer->stream);
}

static void write_graph(dot_writer *writer, const log_report *report)
{
	write_title(writer, report);
	for (size_t i = 0; i < writer->graph->frame_count; i++) {
		if (writer->is_shown[i])
			write_function(writer, (uint32_t)i);
	}
	for (size_t i = 0; i < writer->graph->call_count; i++) {
		const graph_call *call = &writer->graph->calls[i];

		if (writer->is_shown[call->caller] && writer->is_shown[call->callee])
			write_call(writer, call);
	}
	fputs("}\n", writer->stream);
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	dot_writer writer = {.stream = file->stream};
	call_graph graph;
	stack_tree *tree;
	int status = single_tree_create(job, report, job->value, NULL, &tree);
	int is_written;

	if (tree == NULL)
		return status;
	writer.tree = tree;
	writer.graph = &graph;
	is_written = call_graph_make(&graph, tree) &&
		     choose_frames(&writer, job->options.has_top ? job->options.top : DEFAULT_FUNCTIONS);
	if (is_written)
		write_graph(&writer, report);
	is_written = is_written && !writer.has_failed;
	free(writer.is_shown);
	plain_text_release(&writer.plain);
	call_graph_release(&graph);
	stack_tree_destroy(tree);
	return is_written ? status : single_tree_lack_memory(report);
}

const export_target export_dot = {
	.name = "dot",
	.extension = ".dot",
	.description = "a graph of the functions with the greatest values, or of paths from roots, for Graphviz",
	.lacks = "the graph has the functions with the greatest values only, 60 unless --top is given, and the calls "
		 "between these",
	.kind = EXPORT_AGGREGATED,
	.options = EXPORT_HAS_FRAME_FILTERS | EXPORT_HAS_WINDOW | EXPORT_HAS_AT | EXPORT_HAS_TOP | EXPORT_HAS_CLASS,
	.values = EXPORT_ALL_VALUES,
	.file_flags = EXPORT_FILE_TEXT,
	.write_report = write_report,
};
