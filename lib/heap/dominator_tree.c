/* SPDX-License-Identifier: MIT */
/* Sorts objects so that each is followed by those that it dominates. */
#include "heap/dominator_tree.h"

/* Distance of prefetches, in elements of the array that is read in order. */
#define VISITS_AHEAD 16

typedef struct tree_positions {
	uint32_t *positions; /**< By visit. */
	uint32_t *ends;      /**< By visit: the position after the last visit that it dominates. */
} tree_positions;

static size_t array_size(const dominator_tree *tree)
{
	return ((size_t)tree->count + 1) * sizeof(uint32_t);
}

/* Numbers the visits. Visits come after their dominators, so counts are complete in descending order. */
static void number_visits(const tree_positions *found, const visit_order *order)
{
	uint32_t *ends = found->ends;

	for (uint32_t visit = 0; visit <= order->count; visit++)
		ends[visit] = 1;
	for (uint32_t visit = order->count; visit > 0; visit--)
		ends[order->parents[visit]] += ends[visit];
	/* From here on, the end of a visit that has a position is that of what it dominates so far. */
	found->positions[0] = 0;
	ends[0] = 1;
	for (uint32_t visit = 1; visit <= order->count; visit++) {
		uint32_t *dominator_end = &ends[order->parents[visit]];
		uint32_t position = *dominator_end;

		*dominator_end += ends[visit];
		ends[visit] = position + 1;
		found->positions[visit] = position;
	}
}

/* Visits objects in the order of addresses. */
static void fill_objects(dominator_tree *tree, const tree_positions *found, const visit_order *order)
{
	tree->objects[0] = OBJECT_NONE;
	for (uint32_t object = 0; object < order->object_count; object++) {
		uint32_t visit = order->visits[object];

		if (order->object_count - object > VISITS_AHEAD)
			__builtin_prefetch(&found->positions[order->visits[object + VISITS_AHEAD]]);
		if (visit != 0)
			tree->objects[found->positions[visit]] = object;
	}
}

static void fill_dominators(const dominator_tree *tree, const tree_positions *found, const visit_order *order,
			    uint32_t *dominators, uint32_t root)
{
	for (uint32_t visit = 1; visit <= order->count; visit++) {
		uint32_t dominator = order->parents[visit];
		uint32_t object = tree->objects[found->positions[visit]];

		if (order->count - visit >= VISITS_AHEAD)
			__builtin_prefetch(&dominators[tree->objects[found->positions[visit + VISITS_AHEAD]]], 1);
		dominators[object] = dominator != 0 ? tree->objects[found->positions[dominator]] : root;
	}
}

static int fill_tree(dominator_tree *tree, const tree_positions *found, visit_order *order, uint32_t *dominators,
		     uint32_t root)
{
	number_visits(found, order);
	tree->objects = allocator_allocate(tree->allocator, array_size(tree));
	if (tree->objects == NULL)
		return 0;
	fill_objects(tree, found, order);
	visit_order_release_visits(order);
	fill_dominators(tree, found, order, dominators, root);
	tree->ends = allocator_allocate(tree->allocator, array_size(tree));
	if (tree->ends == NULL)
		return 0;
	for (uint32_t visit = 0; visit <= order->count; visit++)
		tree->ends[found->positions[visit]] = found->ends[visit];
	return 1;
}

int dominator_tree_build(dominator_tree *tree, visit_order *order, uint32_t *dominators, uint32_t root)
{
	tree_positions found;
	int is_filled;

	tree->allocator = order->allocator;
	tree->count = order->count;
	tree->objects = NULL;
	tree->ends = NULL;
	found.positions = allocator_allocate(tree->allocator, array_size(tree));
	found.ends = allocator_allocate(tree->allocator, array_size(tree));
	is_filled = found.positions != NULL && found.ends != NULL && fill_tree(tree, &found, order, dominators, root);
	allocator_release(tree->allocator, found.positions, array_size(tree));
	allocator_release(tree->allocator, found.ends, array_size(tree));
	return is_filled;
}

void dominator_tree_destroy(dominator_tree *tree)
{
	allocator_release(tree->allocator, tree->objects, array_size(tree));
	allocator_release(tree->allocator, tree->ends, array_size(tree));
	tree->objects = NULL;
	tree->ends = NULL;
}
