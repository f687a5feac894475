/* SPDX-License-Identifier: MIT */
/* Makes the call stacks of an export whose format holds one value, and estimates their size. */
#include "export/single_tree.h"

#include "common/arguments.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Estimates the size of call stacks that are written with all their frames. */

/* With fewer frames, most call stacks would say little. */
#define MIN_DEPTH 16

/* What call stacks may take if no depth was requested. */
#define USUAL_SIZE UINT64_C(64000000)
#define TIMES_LOG 20

uint64_t stack_size_digits(const stack_tree *tree, uint32_t frame)
{
	uint64_t size = 2;

	(void)tree;
	for (; frame >= 10; frame /= 10)
		size++;
	return size;
}

uint64_t stack_size_varint(const stack_tree *tree, uint32_t frame)
{
	uint64_t size = 1;

	(void)tree;
	for (frame++; frame >= 0x80; frame >>= 7)
		size++;
	return size;
}

uint64_t stack_size_name(const stack_tree *tree, uint32_t frame)
{
	return strlen(tree->frames[frame].name) + 1;
}

/* The bytes of all call stacks, of each no more than \p depth frames from the root; \p sizes are those by node. */
static uint64_t sum_sizes(const stack_tree *tree, const uint64_t *sizes, uint32_t depth)
{
	uint64_t sum = 0;

	for (size_t i = 1; i < tree->node_count; i++) {
		const stack_node *node = &tree->nodes[i];

		if (node->self == 0)
			continue;
		/* The frames of a call stack have about the same sizes. */
		sum += node->depth <= depth ? sizes[i] : sizes[i] / node->depth * depth;
	}
	return sum;
}

static void print_warning(const export_job *job, const log_report *report, const stack_tree *tree,
			  const uint64_t *sizes, uint32_t deepest)
{
	const uint64_t limit = job->target->stack_limit;
	char text[TEXT_NUMBER_SIZE];
	uint32_t depth = deepest;

	text_begin_message(report->input.name);
	fprintf(stderr, "call stacks have up to %s frames", text_count(text, deepest));
	fprintf(stderr, " and take about %s without compression", text_bytes(text, sum_sizes(tree, sizes, deepest)));
	fprintf(stderr, "; viewers are slow or fail above %s", text_bytes(text, limit));
	while (depth > MIN_DEPTH && sum_sizes(tree, sizes, depth) > limit)
		depth /= 2;
	if (depth > MIN_DEPTH)
		fprintf(stderr, ": --max-depth=%" PRIu32 " makes it about %s", depth,
			text_bytes(text, sum_sizes(tree, sizes, depth)));
	fputc('\n', stderr);
}

/* The size of the call stack of each node, and the greatest depth. NULL if out of memory. */
static uint64_t *measure_stacks(const stack_tree *tree, stack_frame_size size_of, uint32_t *deepest)
{
	uint64_t *sizes = calloc(tree->node_count + 1, sizeof(*sizes));

	*deepest = 0;
	for (size_t i = 1; sizes != NULL && i < tree->node_count; i++) {
		const stack_node *node = &tree->nodes[i];

		sizes[i] = sizes[node->parent] + size_of(tree, node->frame);
		if (node->self > 0 && node->depth > *deepest)
			*deepest = node->depth;
	}
	return sizes;
}

/*
 * The greatest number of frames with which the call stacks of a tree take no more room than export files may without
 * being asked for: 64 MB, or twenty times the size of the log. Returns no less than 16, and stack_tree::max_depth if
 * that fits, or if memory is exhausted.
 */
static uint32_t stack_size_fit(const log_report *report, const stack_tree *tree, stack_frame_size size_of)
{
	const uint64_t of_log =
		report->summary.size < UINT64_MAX / TIMES_LOG ? report->summary.size * TIMES_LOG : UINT64_MAX;
	const uint64_t limit = of_log > USUAL_SIZE ? of_log : USUAL_SIZE;
	uint32_t deepest;
	uint64_t *sizes = measure_stacks(tree, size_of, &deepest);
	uint32_t depth = deepest;

	if (sizes == NULL || sum_sizes(tree, sizes, depth) <= limit) {
		free(sizes);
		return tree->max_depth;
	}
	while (depth > MIN_DEPTH && sum_sizes(tree, sizes, depth) > limit)
		depth /= 2;
	free(sizes);
	return depth > MIN_DEPTH ? depth : MIN_DEPTH;
}

/*
 * Prints a warning if the call stacks of a tree need more bytes than export_target::stack_limit, with the depth at
 * which they need less. export_file::is_size_noted is then set. Returns 0 if out of memory.
 */
static int stack_size_check(const export_job *job, const log_report *report, const stack_tree *tree,
			    stack_frame_size size_of, export_file *file)
{
	uint32_t deepest;
	uint64_t *sizes = measure_stacks(tree, size_of, &deepest);

	if (sizes == NULL)
		return 0;
	if (sum_sizes(tree, sizes, deepest) > job->target->stack_limit) {
		print_warning(job, report, tree, sizes, deepest);
		file->is_size_noted = 1;
	}
	free(sizes);
	return 1;
}

int single_tree_create(const export_job *job, const log_report *report, export_value value, stack_frame_size size_of,
		       stack_tree **tree)
{
	stack_tree_options options = {
		.path = job->log,
		.heap_shot = job->heap_shot,
		.by_line = job->by_line,
		.max_depth = size_of != NULL ? job->max_depth : 0,
		.sample_kind = job->sample_kind,
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
