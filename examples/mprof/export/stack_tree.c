/* SPDX-License-Identifier: MIT */
/* Makes the tree of call stacks of a log for a value. */
#include "export/stack_tree.h"

#include "common/exit_status.h"
#include "common/output.h"
#include "export/stack_heap.h"
#include "export/stack_sources.h"
#include "report/filters.h"
#include "shared/text.h"

#include <stdlib.h>

/* Returns 0 if out of memory. */
static int add_source(stack_tree *tree, const log_report *report)
{
	switch (tree->value) {
	case EXPORT_WALL:
	case EXPORT_CALLS:
		return stack_sources_add_calls(tree, report);
	case EXPORT_CPU:
	case EXPORT_SAMPLES:
		return stack_sources_add_samples(tree, report);
	case EXPORT_ALLOCATIONS:
	case EXPORT_BYTES:
		return stack_sources_add_allocations(tree, report);
	case EXPORT_WAITS:
		return stack_sources_add_waits(tree, report);
	default:
		return stack_sources_add_handles(tree, report);
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
	stack_tree *made;
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
	made = malloc(sizeof(*made));
	if (made == NULL || !stack_nodes_init(made, value, options->max_depth) ||
	    (value != EXPORT_HEAP && !add_source(made, report))) {
		output_out_of_memory();
		status = STATUS_NOTHING;
	} else if (value == EXPORT_HEAP) {
		status = stack_heap_add(made, options->path, options->heap_shot, options->heap_memory);
	}
	if (status == STATUS_NOTHING) {
		stack_tree_destroy(made);
		return status;
	}
	stack_nodes_finish(made);
	*tree = made;
	return status;
}

void stack_tree_destroy(stack_tree *tree)
{
	if (tree != NULL)
		stack_nodes_release(tree);
	free(tree);
}
