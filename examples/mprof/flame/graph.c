/* SPDX-License-Identifier: MIT */
/* Makes the flame graph of one or two logs. */
#include "flame/graph.h"

#include "common/arguments.h"
#include "common/output.h"
#include "flame/svg.h"
#include "report/filters.h"
#include "report/parts.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reads a log for a flame graph. */

static void print_warnings(FILE *file, const log_report *report, const stack_tree *tree)
{
	const mprof_session *session = &report->summary.session;
	char text[TEXT_NUMBER_SIZE];

	if (!session->complete)
		fprintf(file, "The log is incomplete or damaged: it is valid up to offset %" PRIu64 ".\n",
			session->valid_bytes);
	if (session->lost_events > 0)
		fprintf(file, "%s events were lost: all figures are estimates.\n",
			text_count(text, session->lost_events));
	if (report->totals.limited)
		fputs("The log has more data than fits in memory: some of it is in no frame or missing.\n", file);
	if (tree->is_incomplete)
		fputs("The heap snapshot is incomplete: objects or references are missing.\n", file);
	if (tree->is_estimated)
		fputs("The figures are estimates from samples.\n", file);
}

/* Makes the texts. Returns 0 if out of memory. */
static int describe(flame_log *log, const log_report *report)
{
	size_t size;
	FILE *file = open_memstream(&log->warnings, &size);
	int is_described = file != NULL;

	if (file != NULL) {
		print_warnings(file, report, log->tree);
		is_described = text_of_stream(file, &log->warnings) != NULL;
	}
	file = open_memstream(&log->header, &size);
	if (file == NULL)
		return 0;
	summary_print_header(&report->summary, &report->input,
			     report->summary.program[0] != '\0' ? report->summary.program : NULL, file);
	return text_of_stream(file, &log->header) != NULL && is_described;
}

int flame_log_read(flame_log *log, const char *path, const flame_options *options, export_value value)
{
	static log_report report;
	const stack_tree_options tree_options = {.path = path,
						 .heap_shot = options->heap_shot,
						 .by_line = options->by_line,
						 .names_lines = options->by_line,
						 .is_only = 1};
	int status = report_read(&report, path, &options->report);
	int tree_status;

	memset(log, 0, sizeof(*log));
	log->name = path;
	if (input_failure(&report.input) != MPROF_OK)
		status = STATUS_NOTHING;
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		if (options->report.readable_names)
			names_use_readable(report.input.names);
		tree_status = stack_tree_create(&report, value, &tree_options, &log->tree);
		status = tree_status != STATUS_OK ? tree_status : status;
	}
	if (log->tree != NULL) {
		log->sampling = report.summary.sampling;
		memcpy(log->program, report.summary.program, sizeof(log->program));
		if (!describe(log, &report)) {
			output_out_of_memory();
			status = STATUS_NOTHING;
		}
	}
	report_release(&report);
	return status;
}

void flame_log_release(flame_log *log)
{
	stack_tree_destroy(log->tree);
	free(log->header);
	free(log->warnings);
}

/* Makes the inverse of a tree of call stacks. */

/* Copies the frames of a tree; \p frames receives their numbers in the copy. Returns 0 if out of memory. */
static int copy_frames(stack_tree *copy, const stack_tree *tree, uint32_t *frames)
{
	for (size_t i = 0; i < tree->frame_count; i++) {
		if (!stack_nodes_frame(copy, &tree->frames[i], &frames[i]))
			return 0;
	}
	return 1;
}

/* Adds the path from a node to the root. Returns 0 if out of memory. */
static int add_path(stack_tree *inverse, const stack_tree *tree, const uint32_t *frames, uint32_t from,
		    uint32_t max_depth)
{
	uint32_t node = 0;

	for (uint32_t i = from, depth = 0; i != 0 && depth < max_depth; i = tree->nodes[i].parent, depth++) {
		if (!stack_nodes_child(inverse, node, frames[tree->nodes[i].frame], &node))
			return 0;
		inverse->nodes[node].count += tree->nodes[from].count;
	}
	inverse->nodes[node].self += tree->nodes[from].self;
	return 1;
}

/* Adds up the own values of each frame. */
static void sum_frames(const stack_tree *tree, uint64_t *values)
{
	for (size_t i = 0; i < tree->node_count; i++)
		values[tree->nodes[i].frame] += tree->nodes[i].self;
}

/*
 * Makes the inverse of a tree: the nodes below the root are the frames with a value of their own, and the totals of
 * these are the sums of all nodes of the frame. Callers beyond max_depth frames are left out, and so are those of
 * frames whose own value is less than least. NULL after a message if out of memory. The caller frees the result with
 * stack_tree_destroy().
 */
static stack_tree *flame_invert(const stack_tree *tree, uint32_t max_depth, uint64_t least)
{
	stack_tree *inverse = malloc(sizeof(*inverse));
	uint32_t *frames = calloc(tree->frame_count, sizeof(*frames));
	uint64_t *values = calloc(tree->frame_count, sizeof(*values));
	int is_created = inverse != NULL && stack_nodes_init(inverse, tree->value, 0) && frames != NULL &&
			 values != NULL && copy_frames(inverse, tree, frames);

	if (is_created)
		sum_frames(tree, values);
	for (uint32_t i = 0; is_created && i < tree->node_count; i++) {
		uint32_t depth = values[tree->nodes[i].frame] < least ? 1 : max_depth;

		if (tree->nodes[i].self > 0)
			is_created = add_path(inverse, tree, frames, i, depth);
	}
	free(frames);
	free(values);
	if (!is_created) {
		output_out_of_memory();
		stack_tree_destroy(inverse);
		return NULL;
	}
	inverse->is_estimated = tree->is_estimated;
	inverse->is_incomplete = tree->is_incomplete;
	inverse->heap_shot = tree->heap_shot;
	stack_nodes_finish(inverse);
	return inverse;
}

/* Bytes of the frames of a document, unless a share is requested. */
#define FLAME_USUAL_LENGTH 240000

/* Frames of less than 1 / PARTS of a pixel are not drawn. */
#define PARTS 10

/* The smallest weight that is drawn. */
static flame_limits limits_of(const flame_options *options, uint64_t whole)
{
	flame_limits limits = {.max_depth = (uint32_t)options->depth + 1};

	if (options->has_min_share) {
		limits.least = report_least(options->min_share, whole);
	} else {
		limits.least = whole / (options->width * PARTS);
		/* A comparison has more figures than the script has. */
		limits.max_length = options->before != NULL ? FLAME_USUAL_LENGTH : FLAME_USUAL_LENGTH / 2;
		limits.max_small = options->before != NULL ? 0 : FLAME_USUAL_LENGTH / 2;
	}
	limits.least = limits.least > 0 ? limits.least : 1;
	return limits;
}

static void print_filter(FILE *file, const char *option, const char *value)
{
	if (value != NULL)
		fprintf(file, " --%s=%s", option, value);
}

/* Prints which part of the log is shown. */
static void print_filters(FILE *file, const report_options *options)
{
	char time[TEXT_NUMBER_SIZE];

	if (options->focus_pattern == NULL && options->ignore_pattern == NULL && options->hide_pattern == NULL &&
	    options->collapse_pattern == NULL && options->window.text == NULL && options->window.last_ns == 0 &&
	    filter_options_want_all_threads(options))
		return;
	fputs("Filtered with", file);
	print_filter(file, "focus", options->focus_pattern);
	print_filter(file, "ignore", options->ignore_pattern);
	print_filter(file, "hide", options->hide_pattern);
	print_filter(file, "collapse", options->collapse_pattern);
	print_filter(file, "time", options->window.text);
	if (options->window.last_ns != 0)
		print_filter(file, "last", text_duration(time, options->window.last_ns));
	print_filter(file, "process", options->threads.wanted_process);
	print_filter(file, "thread", options->threads.wanted);
	fputc('\n', file);
}

static void print_total(FILE *file, const flame_picture *picture, const flame_log *log, uint64_t whole)
{
	char amount[FIGURES_SIZE];

	fprintf(file, "%s: %s%s", log->name, flame_amount(&picture->scale, amount, whole),
		log->program[0] != '\0' ? ", " : "");
	fputs(log->program, file);
}

/* The lines below the title. NULL if out of memory. */
static char *make_subtitle(const flame_options *options, const flame_picture *picture, const flame_log *log,
			   const flame_log *before)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file == NULL)
		return NULL;
	print_total(file, picture, log, picture->scale.whole);
	fputc('\n', file);
	if (before != NULL) {
		fputs("compared with ", file);
		print_total(file, picture, before, picture->scale.before_whole);
		fputs(picture->scale.is_normalized ? "; scaled to the same total\n" : "\n", file);
	}
	print_filters(file, &options->report);
	return text_of_stream(file, &text);
}

/* Two texts, each after what it is about. NULL if out of memory. */
static char *join(const char *first, const flame_log *before, const char *second)
{
	char *text = NULL;

	if (before == NULL || second[0] == '\0')
		return strdup(first);
	return asprintf(&text, "%s%s: %s", first, before->name, second) >= 0 ? text : NULL;
}

static int make_layouts(flame_picture *picture, const flame_options *options)
{
	const stack_tree *tree = picture->tree;
	uint64_t *weights = calloc(tree->node_count, sizeof(*weights));
	flame_limits limits = limits_of(options, picture->scale.whole);
	int is_created;

	if (weights == NULL) {
		output_out_of_memory();
		return 0;
	}
	for (size_t i = 0; i < tree->node_count; i++)
		weights[i] = tree->nodes[i].total;
	is_created = flame_layout_make(&picture->layout, tree, weights, &limits, flame_svg_length);
	/* What is left of the length is for the removed frames. */
	if (is_created && picture->comparison != NULL) {
		limits.max_length /= 8;
		is_created = flame_layout_make(&picture->removed, tree, picture->comparison->removed, &limits,
					       flame_svg_length);
	}
	free(weights);
	return is_created;
}

static char *make_title(const flame_options *options, const flame_log *log)
{
	const char *title = log->tree->kind != NULL ? "Samples of " : export_value_title(log->tree->value);
	char *text = NULL;

	if (options->title != NULL)
		return strdup(options->title);
	return asprintf(&text, "%s%s%s%s", title, log->tree->kind != NULL ? log->tree->kind : "",
			options->before != NULL ? ", compared" : "", options->is_inverted ? ", by callee" : "") >= 0
		       ? text
		       : NULL;
}

/* Prints the picture once its tree is known. */
static int print_picture(FILE *file, flame_picture *picture, const flame_options *options, const flame_log *log,
			 const flame_log *before)
{
	char *title = make_title(options, log);
	char *subtitle = make_subtitle(options, picture, log, before);
	char *warnings = join(log->warnings, before, before != NULL ? before->warnings : "");
	char *details = join(log->header, NULL, "");
	int is_created = title != NULL && subtitle != NULL && warnings != NULL && details != NULL;

	if (!is_created)
		output_out_of_memory();
	is_created = is_created && make_layouts(picture, options);
	if (is_created) {
		picture->title = title;
		picture->subtitle = subtitle;
		picture->warnings = warnings;
		picture->details = details;
		flame_svg_print(file, picture);
	}
	flame_layout_release(&picture->layout);
	flame_layout_release(&picture->removed);
	free(title);
	free(subtitle);
	free(warnings);
	free(details);
	return is_created;
}

static int print_trees(FILE *file, const flame_options *options, const flame_log *log, const flame_log *before,
		       const stack_tree *tree, const stack_tree *before_tree)
{
	flame_comparison comparison = {.tree = NULL};
	flame_picture picture = {.tree = tree, .width = (uint32_t)options->width};
	int is_created = 1;

	picture.scale = (flame_scale){.value = log->tree->value,
				      .unit = log->tree->unit,
				      .whole = log->tree->nodes[0].total,
				      .sampling = log->sampling};
	if (before_tree != NULL) {
		is_created = flame_comparison_make(&comparison, tree, before_tree);
		picture.tree = comparison.tree;
		picture.comparison = &comparison;
		picture.scale.has_before = 1;
		picture.scale.is_normalized = options->is_normalized;
		picture.scale.before_whole = before->tree->nodes[0].total;
	}
	is_created = is_created && print_picture(file, &picture, options, log, before);
	flame_comparison_release(&comparison);
	return is_created;
}

/* The inverse of a tree, in which frames that are not drawn have no callers. */
static stack_tree *invert(const flame_options *options, const stack_tree *tree)
{
	const flame_limits limits = limits_of(options, tree->nodes[0].total);

	return flame_invert(tree, limits.max_depth - 1, limits.least);
}

int flame_graph_print(FILE *file, const flame_options *options, const flame_log *log, const flame_log *before)
{
	stack_tree *tree;
	stack_tree *before_tree;
	int is_created;

	if (!options->is_inverted)
		return print_trees(file, options, log, before, log->tree, before != NULL ? before->tree : NULL);
	tree = invert(options, log->tree);
	before_tree = before != NULL ? invert(options, before->tree) : NULL;
	is_created = tree != NULL && (before == NULL || before_tree != NULL) &&
		     print_trees(file, options, log, before, tree, before_tree);
	stack_tree_destroy(tree);
	stack_tree_destroy(before_tree);
	return is_created;
}
