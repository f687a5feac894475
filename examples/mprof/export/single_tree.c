/* SPDX-License-Identifier: MIT */
/* Makes the call stacks of an export whose format holds one value. */
#include "export/single_tree.h"

#include "common/exit_status.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int single_tree_create(const export_job *job, const log_report *report, export_value value, stack_frame_size size_of,
		       stack_tree **tree)
{
	stack_tree_options options = {
		.path = job->log,
		.heap_shot = job->heap_shot,
		.max_depth = size_of != NULL ? job->max_depth : 0,
		.is_only = job->has_value || (job->target->options & EXPORT_HAS_ALL_VALUES) == 0,
	};
	int status = stack_tree_create(report, value, &options, tree);
	uint32_t depth;

	if (*tree == NULL || size_of == NULL || job->has_max_depth)
		return status;
	depth = stack_size_fit(report, *tree, size_of);
	if (depth == options.max_depth)
		return status;
	stack_tree_destroy(*tree);
	options.max_depth = depth;
	return stack_tree_create(report, value, &options, tree);
}

int single_tree_check(const export_job *job, const log_report *report, const stack_tree *tree, stack_frame_size size_of,
		      export_file *file)
{
	if (tree->is_folded) {
		text_begin_message(report->input.name);
		fprintf(stderr, "%s: frames deeper than %" PRIu32 " are one frame, \"(deeper frames)\"%s\n",
			export_value_name(tree->value), tree->max_depth,
			job->has_max_depth ? "" : "; --max-depth=0 writes all");
	}
	return stack_size_check(job, report, tree, size_of, file);
}

int single_tree_lack_memory(const log_report *report)
{
	text_begin_message(report->input.name);
	fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
	return STATUS_NOTHING;
}

int single_tree_stack(const stack_tree *tree, uint32_t node, single_stack *stack)
{
	uint32_t last = node;

	stack->count = 0;
	for (; node != 0; node = tree->nodes[node].parent)
		stack->count++;
	if (stack->count > stack->capacity) {
		size_t capacity = 2 * stack->count;
		uint32_t *frames = realloc(stack->frames, capacity * sizeof(*frames));

		if (frames == NULL)
			return 0;
		stack->frames = frames;
		stack->capacity = capacity;
	}
	node = last;
	for (size_t i = stack->count; i > 0; i--, node = tree->nodes[node].parent)
		stack->frames[i - 1] = tree->nodes[node].frame;
	return 1;
}

void single_stack_release(single_stack *stack)
{
	free(stack->frames);
	memset(stack, 0, sizeof(*stack));
}
