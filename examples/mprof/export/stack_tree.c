/* SPDX-License-Identifier: MIT */
/* Makes the tree of call stacks of a log for a value. */
#include "export/stack_tree.h"

#include "common/arguments.h"
#include "common/output.h"
#include "heap/view.h"
#include "heap/shapes.h"
#include "report/filters.h"
#include "report/frames.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the objects of a heap snapshot, with their paths from roots as call stacks. */

typedef struct heap_source {
	stack_tree *tree;
	heap_view view;
	path_shapes shapes;
	uint32_t *prefixes; /* By shape: the node that the class of the shape and its fields are below. */
} heap_source;

/* Finds or adds a child of a node; for a field, \p field is its name, else NULL. */
static int add_heap_frame(heap_source *source, uint32_t kind, uint32_t id, const char *name, const char *field,
			  uint32_t *node)
{
	stack_frame wanted = {.kind = kind, .id = id, .name = name};
	char *text = NULL;
	uint32_t frame;
	int is_added;

	if (field != NULL && field[0] != '\0') {
		if (asprintf(&text, kind == STACK_FRAME_HEAP_ROOT ? "%s %s" : "%s.%s", name, field) < 0)
			return 0;
		wanted.name = text;
	}
	is_added =
		stack_nodes_frame(source->tree, &wanted, &frame) && stack_nodes_child(source->tree, *node, frame, node);
	free(text);
	return is_added;
}

/* The name of the class with an index; \p id receives its ID. */
static const char *class_of(const heap_source *source, size_t class_index, class_name *name, uint32_t *id)
{
	*id = heap_view_class(&source->view, class_index).class_id;
	return label_class(&source->view, class_index, name);
}

/* Finds the node that the class of a shape is below: of a root, or of the class before and the field. */
static int find_prefix(heap_source *source, uint32_t index)
{
	const path_shape *shape = &source->shapes.shapes[index];
	class_name name;
	uint32_t id;

	if (shape->parent == SHAPE_NONE)
		return add_heap_frame(source, STACK_FRAME_HEAP_ROOT, shape->root_kind, kind_of_root(shape->root_kind),
				      shape->root_name, &source->prefixes[index]);
	source->prefixes[index] = source->prefixes[shape->parent];
	return add_heap_frame(source, STACK_FRAME_FIELD, 0,
			      class_of(source, source->shapes.shapes[shape->parent].class_index, &name, &id),
			      shape->field != NULL ? shape->field : "?", &source->prefixes[index]);
}

static int add_class(heap_source *source, uint32_t node, size_t class_index, uint64_t objects, uint64_t bytes)
{
	class_name name;
	uint32_t id;
	const char *text = class_of(source, class_index, &name, &id);

	if (!add_heap_frame(source, STACK_FRAME_CLASS, id, text, NULL, &node))
		return 0;
	source->tree->nodes[node].count += objects;
	source->tree->nodes[node].self += bytes;
	return 1;
}

/* Adds the shapes; one is after the shape without its last step. */
static int add_shapes(heap_source *source)
{
	source->prefixes = calloc(source->shapes.count + 1, sizeof(*source->prefixes));
	if (source->prefixes == NULL)
		return 0;
	for (uint32_t i = 1; i < source->shapes.count; i++) {
		const path_shape *shape = &source->shapes.shapes[i];

		if (!find_prefix(source, i))
			return 0;
		if (shape->objects > 0 &&
		    !add_class(source, source->prefixes[i], shape->class_index, shape->objects, shape->bytes))
			return 0;
	}
	return 1;
}

static int add_objects(heap_source *source)
{
	const char *missing = source->view.totals.has_roots ? "(unreachable)" : "(no roots in the log)";

	for (uint32_t i = 0; i < source->view.totals.objects; i++) {
		mprof_heap_object object = heap_view_object(&source->view, i);
		uint32_t node = 0;

		if (object.is_reachable) {
			if (!path_shapes_add(&source->shapes, i))
				return 0;
		} else if (!add_heap_frame(source, STACK_FRAME_NOTE, 0, missing, NULL, &node) ||
			   !add_class(source, node, object.class_index, 1, object.bytes)) {
			return 0;
		}
	}
	return add_shapes(source);
}

/*
 * Adds the objects of a snapshot of the log at path. shot: from 1, 0 for the last one. memory: maximum of the
 * heap graph in MiB, 0 for the default. Returns an exit status, after a message if it is not STATUS_OK; with
 * STATUS_DAMAGED objects are missing.
 */
static int stack_heap_add(stack_tree *tree, const char *path, uint64_t shot, uint64_t memory)
{
	const heap_options options = {.at = shot, .memory = memory, .is_read_again = 1};
	heap_source source = {.tree = tree};
	int status = heap_view_read(&source.view, path, &options);

	/* The message was printed. Without the paths, all objects would seem to be unreachable. */
	if (source.view.totals.has_roots && !source.view.has_retained)
		status = STATUS_NOTHING;
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		tree->heap_shot = source.view.totals.snapshot;
		tree->is_incomplete = source.view.totals.incomplete != 0 || source.view.totals.limited != 0;
		if (!path_shapes_init(&source.shapes, &source.view) || !add_objects(&source)) {
			output_out_of_memory();
			status = STATUS_NOTHING;
		}
		path_shapes_release(&source.shapes);
	}
	free(source.prefixes);
	heap_view_release(&source.view);
	return status;
}

/*
 * Fills trees of call stacks from the trees of frames of a profile, and from the samples of a report.
 *
 * All functions return 0 if out of memory.
 */

static const char unknown_stack[] = "(no call stack)";

/* What the filters do with a frame, of which the innermost may be a class. */
static uint32_t choose_frame(void *user, uint32_t kind, uint32_t id)
{
	const log_report *report = user;

	if (kind == MPROF_SAMPLE_CLASS)
		return report_wants_class(report, id) ? 0 : MPROF_FRAME_IGNORE;
	if (kind == MPROF_SAMPLE_NO_STACK)
		return 0;
	/* They have no call stacks to show, and would take the room of those that have. */
	if (kind == MPROF_SAMPLE_IDLE)
		return MPROF_FRAME_IGNORE;
	return report_frames_choose(report, kind, id);
}

/* Makes the tree of frames of a source with the filters of the report. NULL after a message if memory is exhausted. */
static mprof_frame_tree *filter_frames(const log_report *report, mprof_frame_source source, int by_line,
				       uint32_t sample_kind)
{
	mprof_frame_tree_options options;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = (uint32_t)source;
	options.sample_kind = sample_kind;
	options.choose = choose_frame;
	options.user = (void *)report;
	options.with_classes = 1;
	options.with_locations = 1;
	options.with_lines = by_line != 0;
	/* The profile has a limit already. */
	options.max_memory = UINT64_MAX;
	return report_frames_create(report, &options);
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

	if (frame->position != 0)
		return stack_frames_positioned(tree, report, frame->kind, frame->id, frame->position, &index) &&
		       stack_nodes_child(tree, *node, index, node);
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

static int add_frames_of(stack_tree *tree, const log_report *report, mprof_frame_source source)
{
	mprof_frame_tree *filtered = filter_frames(report, source, tree->by_line, 0);
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

/* Adds the calls, by time or by number. */
static int stack_sources_add_calls(stack_tree *tree, const log_report *report)
{
	const uint64_t total = tree->value == EXPORT_CALLS ? report->totals.calls : report->totals.method_ns;

	if (!add_frames_of(tree, report, MPROF_FRAME_SOURCE_CALLS))
		return 0;
	/* What the profile folded has no path. Without it, the sum differs from the total only by rounding. */
	if (!report_filters_frames(report) && report->totals.folded_calls > 0)
		tree->nodes[0].self += missing_of(tree, total);
	return 1;
}

/* Adds the samples by the frames of the log, since the view of samples has no lines. */
static int add_samples_by_line(stack_tree *tree, const log_report *report)
{
	const sampling_facts *sampling = &report->summary.sampling;
	uint64_t hits = 0;

	tree->is_estimated = tree->value == EXPORT_CPU;
	if (!add_frames_of(tree, report, MPROF_FRAME_SOURCE_SAMPLES))
		return 0;
	for (size_t i = 0; tree->value == EXPORT_CPU && i < tree->node_count; i++) {
		const uint64_t self = tree->nodes[i].self;

		tree->nodes[i].self = sampling_time_of(sampling, hits + self) - sampling_time_of(sampling, hits);
		hits += self;
	}
	return 1;
}

/* Adds the samples, by number or by the time that they represent. */
static int stack_sources_add_samples(stack_tree *tree, const log_report *report)
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

		if (i > 0 && view->items[node->item].kind == MPROF_SAMPLE_IDLE)
			continue;
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

/* Adds the allocations, by number or by bytes. The innermost frame is the class. */
static int stack_sources_add_allocations(stack_tree *tree, const log_report *report)
{
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_ALLOCATION_SITES);

	for (size_t i = 0; i < count && !tree->is_estimated; i++) {
		mprof_allocation_site site = {.struct_size = sizeof(site)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_ALLOCATION_SITES, i, &site);
		tree->is_estimated = site.samples != 0;
	}
	return add_frames_of(tree, report, MPROF_FRAME_SOURCE_ALLOCATIONS);
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

/* Adds the waits for monitors. */
static int stack_sources_add_waits(stack_tree *tree, const log_report *report)
{
	return add_frames_of(tree, report, MPROF_FRAME_SOURCE_WAITS) &&
	       add_missing(tree, report, report->totals.contended_ns);
}

/* Adds the handles that are alive. */
static int stack_sources_add_handles(stack_tree *tree, const log_report *report)
{
	return add_frames_of(tree, report, MPROF_FRAME_SOURCE_HANDLES) &&
	       add_missing(tree, report, report->totals.handles_alive);
}

/* Adds native memory. What has no call stack is in the tree of frames already. */
static int stack_sources_add_memory(stack_tree *tree, const log_report *report)
{
	static const mprof_frame_source sources[EXPORT_VALUES] = {
		[EXPORT_MEMORY] = MPROF_FRAME_SOURCE_MEMORY,
		[EXPORT_MEMORY_LIVE] = MPROF_FRAME_SOURCE_MEMORY_LIVE,
		[EXPORT_MEMORY_PEAK] = MPROF_FRAME_SOURCE_MEMORY_PEAK,
		[EXPORT_MEMORY_TEMPORARY] = MPROF_FRAME_SOURCE_MEMORY_TEMPORARY,
	};
	mprof_memory_stats memory = {.struct_size = sizeof(memory)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY, 0, &memory);
	tree->is_estimated = memory.is_estimate != 0 ||
			     (memory.is_peak_estimate != 0 &&
			      (tree->value == EXPORT_MEMORY_PEAK || tree->value == EXPORT_MEMORY_TEMPORARY));
	return add_frames_of(tree, report, sources[tree->value]);
}

/* The unit of what samples of a kind stand for. */
static const char *kind_unit(const mprof_sample_kind_stats *kind)
{
	switch (kind->unit) {
	case MPROF_ARGUMENT_UNIT_NANOSECONDS:
		return "nanoseconds";
	case MPROF_ARGUMENT_UNIT_BYTES:
		return "bytes";
	case MPROF_ARGUMENT_UNIT_NAMED:
		return kind->unit_name;
	default:
		return "count";
	}
}

/* Adds the samples of a kind, by what they stand for. */
static int stack_sources_add_kind(stack_tree *tree, const log_report *report, uint32_t type)
{
	mprof_sample_kind_stats kind;
	mprof_frame_tree *filtered;
	int is_added;

	if (!export_value_find_kind(report, type, &kind))
		return 1;
	tree->kind = strdup(kind.name);
	tree->kind_unit = strdup(kind_unit(&kind));
	if (tree->kind == NULL || tree->kind_unit == NULL)
		return 0;
	tree->unit = tree->kind_unit;
	filtered = filter_frames(report, MPROF_FRAME_SOURCE_SAMPLES, tree->by_line, kind.type);
	is_added = filtered != NULL && add_nodes(tree, report, filtered);
	mprof_frame_tree_destroy(filtered);
	return is_added;
}

/* Returns 0 if out of memory. */
static int add_source(stack_tree *tree, const log_report *report, const stack_tree_options *options)
{
	tree->by_line = options->by_line;
	tree->names_lines = options->names_lines;
	switch (tree->value) {
	case EXPORT_KIND:
		return stack_sources_add_kind(tree, report, options->sample_kind);
	case EXPORT_WALL:
	case EXPORT_CALLS:
		return stack_sources_add_calls(tree, report);
	case EXPORT_CPU:
	case EXPORT_SAMPLES:
		return tree->by_line ? add_samples_by_line(tree, report) : stack_sources_add_samples(tree, report);
	case EXPORT_ALLOCATIONS:
	case EXPORT_BYTES:
		return stack_sources_add_allocations(tree, report);
	case EXPORT_WAITS:
		return stack_sources_add_waits(tree, report);
	case EXPORT_HANDLES:
		return stack_sources_add_handles(tree, report);
	default:
		return stack_sources_add_memory(tree, report);
	}
}

/* Objects have a class; calls and samples have none. Paths to objects of a heap snapshot have no methods. */
static int has_objects(export_value value)
{
	return value == EXPORT_ALLOCATIONS || value == EXPORT_BYTES || value == EXPORT_WAITS || value == EXPORT_HANDLES;
}

/* Returns 1 after a message if an option was given that would be ignored. */
static int refuse_options(const log_report *report, export_value value, const stack_tree_options *options)
{
	const report_options *taken = &report->options;
	const char *name = NULL;

	if (value != EXPORT_HEAP && options->heap_shot > 0)
		name = "--at";
	else if (!has_objects(value) && taken->class_pattern != NULL)
		name = "--class";
	else if (value == EXPORT_HEAP && report_filters_frames(report))
		name = taken->focus_pattern != NULL    ? "--focus"
		       : taken->ignore_pattern != NULL ? "--ignore"
		       : taken->hide_pattern != NULL   ? "--hide"
						       : "--collapse";
	if (name == NULL)
		return 0;
	text_begin_message(report->input.name);
	fprintf(stderr, "%s has no effect on --value=%s\n", name, export_value_name(value));
	return 1;
}

int stack_tree_create(const log_report *report, export_value value, const stack_tree_options *options,
		      stack_tree **tree)
{
	stack_tree *created;
	int status = STATUS_OK;

	*tree = NULL;
	if (value == EXPORT_VALUE_DEFAULT)
		value = export_value_choose(report);
	if (!export_value_exists(report, value)) {
		export_value_note_missing(report, value);
		return STATUS_NOTHING;
	}
	if (options->is_only && refuse_options(report, value, options))
		return STATUS_USAGE;
	created = malloc(sizeof(*created));
	if (created == NULL || !stack_nodes_init(created, value, options->max_depth) ||
	    (value != EXPORT_HEAP && !add_source(created, report, options))) {
		output_out_of_memory();
		status = STATUS_NOTHING;
	} else if (value == EXPORT_HEAP) {
		status = stack_heap_add(created, options->path, options->heap_shot, options->heap_memory);
	}
	if (status == STATUS_NOTHING) {
		stack_tree_destroy(created);
		return status;
	}
	stack_nodes_finish(created);
	*tree = created;
	return status;
}

void stack_tree_destroy(stack_tree *tree)
{
	if (tree != NULL)
		stack_nodes_release(tree);
	free(tree);
}
