/* SPDX-License-Identifier: MIT */
/* Chooses the frames of a flame graph that are large enough to be drawn, and places them. */
#include "flame/layout.h"

#include "common/output.h"

#include <stdlib.h>
#include <string.h>

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
static void place(layout_state *state, uint64_t *lefts)
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
	place(state, lefts);
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
	int is_made;

	memset(layout, 0, sizeof(*layout));
	state.depths = calloc(tree->node_count, sizeof(*state.depths));
	state.boxes = calloc(tree->node_count + 1, sizeof(*state.boxes));
	layout->boxes = state.boxes;
	is_made = lefts != NULL && state.depths != NULL && state.boxes != NULL &&
		  make(&state, layout, limits, lefts, length);
	if (!is_made)
		output_out_of_memory();
	free(lefts);
	free(state.depths);
	return is_made;
}

void flame_layout_release(flame_layout *layout)
{
	free(layout->boxes);
}
