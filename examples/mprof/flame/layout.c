/* SPDX-License-Identifier: MIT */
/* Merges two trees of call stacks by the names of their frames, and lays trees out as rectangles. */
#include "flame/layout.h"

#include "common/output.h"

#include <stdlib.h>
#include <string.h>

/* Merges two trees of call stacks by the names of their frames. */

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

/* Bytes of a frame that only the script names, without its name. */
#define SMALL_LENGTH 26

typedef struct layout_state {
	const stack_tree *tree;
	const uint64_t *weights;
	uint32_t *depths; /* By node. */
	flame_box *boxes;
	size_t count;
} layout_state;

/* What qsort() compares boxes with. */
static const layout_state *sorted;

static void find_depths(layout_state *state)
{
	for (size_t i = 1; i < state->tree->node_count; i++)
		state->depths[i] = state->depths[state->tree->nodes[i].parent] + 1;
}

/* A lighter box is first. */
static int compare_weights(const void *left, const void *right)
{
	const flame_box *a = left;
	const flame_box *b = right;

	return (a->weight > b->weight) - (a->weight < b->weight);
}

/* Boxes with the same caller are together; the heaviest first, then by name. Callers are first. */
static int compare_places(const void *left, const void *right)
{
	const stack_node *a = &sorted->tree->nodes[((const flame_box *)left)->node];
	const stack_node *b = &sorted->tree->nodes[((const flame_box *)right)->node];
	uint64_t a_weight = ((const flame_box *)left)->weight;
	uint64_t b_weight = ((const flame_box *)right)->weight;
	int order;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a_weight != b_weight)
		return a_weight > b_weight ? -1 : 1;
	order = strcmp(sorted->tree->frames[a->frame].name, sorted->tree->frames[b->frame].name);
	return order != 0 ? order : (a > b) - (a < b);
}

/* Collects the boxes, apart from that of the root, that are large enough. */
static void collect(layout_state *state, uint64_t least, uint32_t max_depth)
{
	state->count = 0;
	for (size_t i = 1; i < state->tree->node_count; i++) {
		if (state->weights[i] >= least && state->depths[i] < max_depth)
			state->boxes[state->count++] = (flame_box){(uint32_t)i, state->depths[i], 0, state->weights[i]};
	}
}

/* The smallest weight with which the frames are short enough. Callers are not lighter than what they call. */
static uint64_t fit_named(const layout_state *state, const flame_limits *limits,
			  size_t (*length)(const stack_frame *frame))
{
	uint64_t sum = 0;

	for (size_t i = state->count; i > 0; i--) {
		const stack_node *node = &state->tree->nodes[state->boxes[i - 1].node];

		sum += length(&state->tree->frames[node->frame]);
		if (sum > limits->max_length)
			return state->boxes[i - 1].weight + 1;
	}
	return limits->least;
}

/* Lays out the frames with smaller weights. \p is_named: by frame; whether the document has its name. */
static uint64_t fit_small(const layout_state *state, const flame_limits *limits, uint64_t named,
			  unsigned char *is_named)
{
	uint64_t sum = 0;

	for (size_t i = state->count; i > 0; i--) {
		const flame_box *box = &state->boxes[i - 1];
		uint32_t frame = state->tree->nodes[box->node].frame;

		if (box->weight < named) {
			sum += SMALL_LENGTH + (is_named[frame] ? 0 : strlen(state->tree->frames[frame].name) + 4);
			if (sum > limits->max_small)
				return box->weight + 1;
		}
		is_named[frame] = 1;
	}
	return limits->least;
}

/* Finds the smallest weights. Returns 0 if out of memory. */
static int fit(layout_state *state, flame_layout *layout, const flame_limits *limits,
	       size_t (*length)(const stack_frame *frame))
{
	unsigned char *is_named;

	layout->named = layout->least = limits->least;
	if (limits->max_length == 0)
		return 1;
	is_named = calloc(state->tree->frame_count, 1);
	if (is_named == NULL)
		return 0;
	qsort(state->boxes, state->count, sizeof(*state->boxes), compare_weights);
	layout->named = fit_named(state, limits, length);
	layout->least = fit_small(state, limits, layout->named, is_named);
	free(is_named);
	return 1;
}

/* Finds where the boxes are, once they are sorted. \p lefts: by node; the left edge of what it calls next. */
static void position(layout_state *state, uint64_t *lefts)
{
	for (size_t i = 0; i < state->count; i++) {
		flame_box *box = &state->boxes[i];
		uint32_t parent = state->tree->nodes[box->node].parent;

		box->left = lefts[parent];
		lefts[parent] += box->weight;
		lefts[box->node] = box->left;
	}
}

/* Counts what is not drawn: nodes below drawn ones count with their weight, which includes those below. */
static void count_hidden(const layout_state *state, flame_layout *layout, uint32_t max_depth)
{
	for (size_t i = 1; i < state->tree->node_count; i++) {
		uint32_t parent = state->tree->nodes[i].parent;
		int is_deep = state->depths[i] >= max_depth;

		if (state->weights[i] == 0 || (state->weights[i] >= layout->least && !is_deep))
			continue;
		layout->hidden_count++;
		layout->is_too_deep |= is_deep && state->weights[i] >= layout->least;
		if (parent == 0 || (state->weights[parent] >= layout->least && state->depths[parent] < max_depth))
			layout->hidden_weight += state->weights[i];
	}
}

static int make(layout_state *state, flame_layout *layout, const flame_limits *limits, uint64_t *lefts,
		size_t (*length)(const stack_frame *frame))
{
	find_depths(state);
	collect(state, limits->least, limits->max_depth);
	if (!fit(state, layout, limits, length))
		return 0;
	collect(state, layout->least, limits->max_depth);
	sorted = state;
	qsort(state->boxes, state->count, sizeof(*state->boxes), compare_places);
	position(state, lefts);
	count_hidden(state, layout, limits->max_depth);
	memmove(state->boxes + 1, state->boxes, state->count * sizeof(*state->boxes));
	state->boxes[0] = (flame_box){.weight = state->weights[0]};
	layout->count = state->count + 1;
	for (size_t i = 0; i < layout->count; i++) {
		if (state->boxes[i].depth >= layout->levels)
			layout->levels = state->boxes[i].depth + 1;
	}
	return 1;
}

int flame_layout_make(flame_layout *layout, const stack_tree *tree, const uint64_t *weights, const flame_limits *limits,
		      size_t (*length)(const stack_frame *frame))
{
	layout_state state = {.tree = tree, .weights = weights};
	uint64_t *lefts = calloc(tree->node_count, sizeof(*lefts));
	int is_created;

	memset(layout, 0, sizeof(*layout));
	state.depths = calloc(tree->node_count, sizeof(*state.depths));
	state.boxes = calloc(tree->node_count + 1, sizeof(*state.boxes));
	layout->boxes = state.boxes;
	is_created = lefts != NULL && state.depths != NULL && state.boxes != NULL &&
		     make(&state, layout, limits, lefts, length);
	if (!is_created)
		output_out_of_memory();
	free(lefts);
	free(state.depths);
	return is_created;
}

void flame_layout_release(flame_layout *layout)
{
	free(layout->boxes);
}
