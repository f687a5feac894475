/* SPDX-License-Identifier: MIT */
/* Makes the inverse of a tree of call stacks. */
#include "flame/invert.h"

#include "common/output.h"

#include <stdlib.h>

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

stack_tree *flame_invert(const stack_tree *tree, uint32_t max_depth, uint64_t least)
{
	stack_tree *inverse = malloc(sizeof(*inverse));
	uint32_t *frames = calloc(tree->frame_count, sizeof(*frames));
	uint64_t *values = calloc(tree->frame_count, sizeof(*values));
	int is_made = inverse != NULL && stack_nodes_init(inverse, tree->value, 0) && frames != NULL &&
		      values != NULL && copy_frames(inverse, tree, frames);

	if (is_made)
		sum_frames(tree, values);
	for (uint32_t i = 0; is_made && i < tree->node_count; i++) {
		uint32_t depth = values[tree->nodes[i].frame] < least ? 1 : max_depth;

		if (tree->nodes[i].self > 0)
			is_made = add_path(inverse, tree, frames, i, depth);
	}
	free(frames);
	free(values);
	if (!is_made) {
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
