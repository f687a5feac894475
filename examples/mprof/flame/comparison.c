/* SPDX-License-Identifier: MIT */
/* Merges two trees of call stacks by the names of their frames. */
#include "flame/comparison.h"

#include "common/output.h"

#include <stdlib.h>
#include <string.h>

/* A frame without what differs between two logs of the same program: IDs and lines. */
static int add_frame(stack_tree *tree, const stack_frame *frame, uint32_t *index)
{
	const stack_frame wanted = {
		.kind = frame->kind,
		.flags = frame->flags,
		.name = frame->name,
		.module = frame->kind == STACK_FRAME_FUNCTION ? frame->module : NULL,
	};

	return stack_nodes_frame(tree, &wanted, index);
}

/* Adds the nodes of a tree; \p nodes receives their numbers. Returns 0 if out of memory. */
static int add_nodes(stack_tree *tree, const stack_tree *added, uint32_t *nodes)
{
	for (size_t i = 1; i < added->node_count; i++) {
		const stack_node *node = &added->nodes[i];
		uint32_t frame;

		if (!add_frame(tree, &added->frames[node->frame], &frame) ||
		    !stack_nodes_child(tree, nodes[node->parent], frame, &nodes[i]))
			return 0;
	}
	return 1;
}

static int add_after(flame_comparison *comparison, const stack_tree *after)
{
	uint32_t *nodes = calloc(after->node_count, sizeof(*nodes));
	int is_added = nodes != NULL && add_nodes(comparison->tree, after, nodes);

	for (size_t i = 0; is_added && i < after->node_count; i++) {
		comparison->tree->nodes[nodes[i]].self += after->nodes[i].self;
		comparison->tree->nodes[nodes[i]].count += after->nodes[i].count;
	}
	free(nodes);
	return is_added;
}

static int add_before(flame_comparison *comparison, const stack_tree *before)
{
	uint32_t *nodes = calloc(before->node_count, sizeof(*nodes));
	int is_added = nodes != NULL && add_nodes(comparison->tree, before, nodes);
	size_t count = comparison->tree->node_count;

	comparison->before_self = calloc(count, sizeof(uint64_t));
	comparison->before_total = calloc(count, sizeof(uint64_t));
	comparison->removed = calloc(count, sizeof(uint64_t));
	is_added = is_added && comparison->before_self != NULL && comparison->before_total != NULL &&
		   comparison->removed != NULL;
	for (size_t i = 0; is_added && i < before->node_count; i++)
		comparison->before_self[nodes[i]] += before->nodes[i].self;
	free(nodes);
	return is_added;
}

/* Sums over the nodes below each node, which are after it. */
static void sum_nodes(flame_comparison *comparison)
{
	const stack_tree *tree = comparison->tree;

	for (size_t i = 0; i < tree->node_count; i++) {
		comparison->before_total[i] = comparison->before_self[i];
		comparison->removed[i] = tree->nodes[i].total == 0 ? comparison->before_self[i] : 0;
	}
	for (size_t i = tree->node_count; i-- > 1;) {
		comparison->before_total[tree->nodes[i].parent] += comparison->before_total[i];
		comparison->removed[tree->nodes[i].parent] += comparison->removed[i];
	}
}

int flame_comparison_make(flame_comparison *comparison, const stack_tree *after, const stack_tree *before)
{
	memset(comparison, 0, sizeof(*comparison));
	comparison->tree = malloc(sizeof(*comparison->tree));
	if (comparison->tree == NULL || !stack_nodes_init(comparison->tree, after->value, 0) ||
	    !add_after(comparison, after) || !add_before(comparison, before)) {
		output_out_of_memory();
		return 0;
	}
	comparison->tree->is_estimated = after->is_estimated || before->is_estimated;
	stack_nodes_finish(comparison->tree);
	sum_nodes(comparison);
	return 1;
}

void flame_comparison_release(flame_comparison *comparison)
{
	stack_tree_destroy(comparison->tree);
	free(comparison->before_self);
	free(comparison->before_total);
	free(comparison->removed);
}

uint64_t flame_comparison_scale(uint64_t value, uint64_t whole, uint64_t before_whole)
{
	if (before_whole == 0)
		return value;
	return (uint64_t)((double)value * ((double)whole / (double)before_whole) + 0.5);
}
