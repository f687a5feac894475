/* SPDX-License-Identifier: MIT */
/* Fills trees of call stacks from the trees of frames of a profile, and from the samples of a report. */
#include "export/stack_sources.h"

#include "export/stack_frames.h"
#include "report/filters.h"
#include "shared/text.h"

#include <stdlib.h>

static const char unknown_stack[] = "(no call stack)";

static uint32_t choose_if(const log_report *report, const char *pattern, uint32_t kind, uint32_t id, uint32_t choice)
{
	return pattern != NULL && report_matches_frame(report, pattern, kind, id) ? choice : 0;
}

/* What the filters do with a frame. */
static uint32_t choose_frame(void *user, uint32_t kind, uint32_t id)
{
	const log_report *report = user;
	const report_options *options = &report->options;

	if (kind == MPROF_SAMPLE_CLASS)
		return report_wants_class(report, id) ? 0 : MPROF_FRAME_IGNORE;
	if (kind == MPROF_SAMPLE_NO_STACK)
		return 0;
	return choose_if(report, options->focus_pattern, kind, id, MPROF_FRAME_FOCUS) |
	       choose_if(report, options->ignore_pattern, kind, id, MPROF_FRAME_IGNORE) |
	       choose_if(report, options->hide_pattern, kind, id, MPROF_FRAME_HIDE) |
	       choose_if(report, options->collapse_pattern, kind, id, MPROF_FRAME_COLLAPSE);
}

/* Makes the tree of frames of a source with the filters of the report. NULL after a message if memory is exhausted. */
static mprof_frame_tree *filter_frames(const log_report *report, mprof_frame_source source)
{
	mprof_frame_tree_options options;
	mprof_frame_tree *filtered = NULL;
	mprof_status status;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = (uint32_t)source;
	options.has_focus = report->options.focus_pattern != NULL;
	options.choose = choose_frame;
	options.user = (void *)report;
	options.with_classes = 1;
	options.with_locations = 1;
	status = mprof_frame_tree_create(report->profile, report->input.reader, &options, &filtered);
	if (status != MPROF_OK) {
		text_begin_message(report->input.name);
		fprintf(stderr, "%s for the trees of frames\n", mprof_status_get_text(status));
	}
	return filtered;
}

static void add_value(stack_tree *tree, uint32_t node, uint64_t count, uint64_t value)
{
	tree->nodes[node].count += count;
	tree->nodes[node].self += value;
}

/* Finds or adds what a frame of a tree of frames is below a node. */
static int add_frame(stack_tree *tree, const log_report *report, const mprof_frame_node *frame, uint32_t *node)
{
	const uint32_t flags = (frame->flags & MPROF_EVENT_FLAG_COMPILING) != 0 ? STACK_FRAME_COMPILING : 0;
	uint32_t index;
	int is_added;

	if (frame->kind == MPROF_SAMPLE_LOCATION)
		return stack_frames_add_location(tree, report, frame->id, 1, node);
	if (frame->kind == MPROF_SAMPLE_CLASS)
		is_added = stack_frames_class(tree, report, frame->id, &index);
	else if (frame->kind == MPROF_SAMPLE_NO_STACK)
		is_added = stack_frames_note(tree, unknown_stack, &index);
	else
		is_added = stack_frames_sampled(tree, report, frame->kind, frame->id, flags, &index);
	return is_added && stack_nodes_child(tree, *node, index, node);
}

/* Adds the nodes of a tree of frames. */
static int add_nodes(stack_tree *tree, const log_report *report, const mprof_frame_tree *filtered)
{
	const size_t count = mprof_frame_tree_get_node_count(filtered);
	const int by_count = tree->value == EXPORT_CALLS || tree->value == EXPORT_ALLOCATIONS;
	uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
	int is_added = nodes != NULL;

	for (size_t i = 0; i < count && is_added; i++) {
		mprof_frame_node frame = {.struct_size = sizeof(frame)};

		mprof_frame_tree_get_node(filtered, (uint32_t)i, &frame);
		nodes[i] = nodes[frame.parent];
		is_added = i == 0 || add_frame(tree, report, &frame, &nodes[i]);
		if (is_added)
			add_value(tree, nodes[i], frame.count, by_count ? frame.count : frame.self);
	}
	free(nodes);
	return is_added;
}

static int add_source(stack_tree *tree, const log_report *report, mprof_frame_source source)
{
	mprof_frame_tree *filtered = filter_frames(report, source);
	int is_added = filtered != NULL && add_nodes(tree, report, filtered);

	mprof_frame_tree_destroy(filtered);
	return is_added;
}

/* What the nodes of a tree lack of the total of the log. */
static uint64_t missing_of(const stack_tree *tree, uint64_t total)
{
	uint64_t added = 0;

	for (size_t i = 0; i < tree->node_count; i++)
		added += tree->nodes[i].self;
	return added < total ? total - added : 0;
}

int stack_sources_add_calls(stack_tree *tree, const log_report *report)
{
	const uint64_t total = tree->value == EXPORT_CALLS ? report->totals.calls : report->totals.method_ns;

	if (!add_source(tree, report, MPROF_FRAME_SOURCE_CALLS))
		return 0;
	/* What the profile folded has no path. Without it, the sum differs from the total only by rounding. */
	if (!report_filters_frames(report) && report->totals.folded_calls > 0)
		tree->nodes[0].self += missing_of(tree, total);
	return 1;
}

int stack_sources_add_samples(stack_tree *tree, const log_report *report)
{
	const sample_view *view = &report->samples;
	const sampling_facts *sampling = &report->summary.sampling;
	uint32_t *nodes = calloc(view->node_count + 1, sizeof(*nodes));
	uint64_t hits = 0;
	int is_added = nodes != NULL;

	tree->is_estimated = tree->value == EXPORT_CPU;
	for (size_t i = 0; i < view->node_count && is_added; i++) {
		const sample_view_node *node = &view->nodes[i];
		uint64_t self = node->self;
		uint32_t frame;

		is_added = i == 0 || (stack_frames_item(tree, report, &view->items[node->item], &frame) &&
				      stack_nodes_child(tree, nodes[node->parent], frame, &nodes[i]));
		/* Times are differences of a running sum, so that they add up to that of all samples. */
		if (tree->value == EXPORT_CPU)
			self = sampling_time_of(sampling, hits + self) - sampling_time_of(sampling, hits);
		hits += node->self;
		if (is_added)
			add_value(tree, nodes[i], 0, self);
	}
	free(nodes);
	return is_added;
}

int stack_sources_add_allocations(stack_tree *tree, const log_report *report)
{
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_ALLOCATION_SITES);

	for (size_t i = 0; i < count && !tree->is_estimated; i++) {
		mprof_allocation_site site = {.struct_size = sizeof(site)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_ALLOCATION_SITES, i, &site);
		tree->is_estimated = site.samples != 0;
	}
	return add_source(tree, report, MPROF_FRAME_SOURCE_ALLOCATIONS);
}

/* Adds what all call sites together lack of the total of the log, unless filters left it out. */
static int add_missing(stack_tree *tree, const log_report *report, uint64_t total)
{
	const uint64_t missing = missing_of(tree, total);
	uint32_t frame;
	uint32_t node = 0;

	if (!report_wants_all(report) || report_filters_frames(report) || missing == 0)
		return 1;
	if (!stack_frames_note(tree, unknown_stack, &frame) || !stack_nodes_child(tree, 0, frame, &node))
		return 0;
	add_value(tree, node, 0, missing);
	return 1;
}

int stack_sources_add_waits(stack_tree *tree, const log_report *report)
{
	return add_source(tree, report, MPROF_FRAME_SOURCE_WAITS) &&
	       add_missing(tree, report, report->totals.contended_ns);
}

int stack_sources_add_handles(stack_tree *tree, const log_report *report)
{
	return add_source(tree, report, MPROF_FRAME_SOURCE_HANDLES) &&
	       add_missing(tree, report, report->totals.handles_alive);
}
