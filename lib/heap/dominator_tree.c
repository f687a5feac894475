/* SPDX-License-Identifier: MIT */
/*
 * Sorts objects so that each is followed by those that it dominates.
 *
 * Visits and positions are in similar orders, since most objects have dominators near the roots. Objects are in another
 * order, so each array by object is read once, from its start, and its elements are stored where they are summed up.
 */
#include "heap/dominator_tree.h"

#include "base/checked.h"

/* Distance of prefetches, in elements of the array that is read in order. */
#define POSITIONS_AHEAD 32
#define OBJECTS_AHEAD 16

size_t dominator_tree_array_size(const dominator_tree *tree)
{
	return ((size_t)tree->object_count + 1) * sizeof(uint32_t);
}

static int objects_size(const dominator_tree *tree, size_t *size)
{
	return checked_multiply((size_t)tree->count + 1, sizeof(*tree->objects), size);
}

/*
 * Fills the positions by visit. Visits come after their dominators, so counts are complete in descending order. \p ends
 * is by visit, and first contains the number of visits that each one dominates. Returns 0 if it has to stop.
 */
static int number_visits(uint32_t *positions, uint32_t *ends, const visit_order *order, progress *going)
{
	for (uint32_t visit = 0; visit <= order->count; visit++)
		ends[visit] = 1;
	for (uint32_t visit = order->count; visit > 0 && progress_step(going); visit--)
		ends[order->parents[visit]] += ends[visit];
	/* From here on, the end of a visit that has a position is that of what it dominates so far. */
	positions[0] = 0;
	ends[0] = 1;
	for (uint32_t visit = 1; visit <= order->count && progress_step(going); visit++) {
		uint32_t *dominator_end = &ends[order->parents[visit]];
		uint32_t position = *dominator_end;

		*dominator_end += ends[visit];
		ends[visit] = position + 1;
		positions[visit] = position;
	}
	return !going->is_stopped;
}

static int fill_dominators(dominator_tree *tree, const uint32_t *positions, const visit_order *order, progress *going)
{
	tree->dominators[0] = 0;
	for (uint32_t visit = 1; visit <= order->count && progress_step(going); visit++)
		tree->dominators[positions[visit]] = positions[order->parents[visit]];
	return !going->is_stopped;
}

/*
 * Puts each object at its position, and replaces its visit by that, which is done some objects ahead. Returns 0 if it
 * has to stop.
 */
static int fill_objects(dominator_tree *tree, const uint32_t *positions, const object_graph *graph, progress *going)
{
	uint32_t *numbers = tree->positions;

	tree->objects[0] = (tree_object){0, 0, OBJECT_NONE};
	for (uint32_t object = 0; object < tree->object_count && object < OBJECTS_AHEAD; object++)
		numbers[object] = positions[numbers[object]];
	for (uint32_t object = 0; object < tree->object_count && progress_step(going); object++) {
		if (tree->object_count - object > POSITIONS_AHEAD)
			__builtin_prefetch(&positions[numbers[object + POSITIONS_AHEAD]]);
		if (tree->object_count - object > OBJECTS_AHEAD) {
			uint32_t *later = &numbers[object + OBJECTS_AHEAD];

			*later = positions[*later];
			__builtin_prefetch(&tree->objects[*later], 1);
		}
		if (numbers[object] != 0)
			tree->objects[numbers[object]] =
				(tree_object){object_graph_size(graph, object), graph->classes[object], object};
	}
	return !going->is_stopped;
}

/* Fills the positions by visit and the dominators. Returns 0 if there is no memory or it has to stop. */
static int arrange_visits(dominator_tree *tree, uint32_t *positions, visit_order *order, progress *going)
{
	size_t size = dominator_tree_array_size(tree);
	uint32_t *ends = allocator_allocate(tree->allocator, size);
	const int is_numbered = ends != NULL && number_visits(positions, ends, order, going);

	allocator_release(tree->allocator, ends, size);
	if (is_numbered)
		tree->dominators = allocator_allocate(tree->allocator, size);
	return tree->dominators != NULL && fill_dominators(tree, positions, order, going);
}

int dominator_tree_build(dominator_tree *tree, visit_order *order, const object_graph *graph, progress *going)
{
	uint32_t *positions;
	size_t size;
	int is_built;

	memset(tree, 0, sizeof(*tree));
	tree->allocator = order->allocator;
	tree->object_count = order->object_count;
	tree->count = order->count;
	size = dominator_tree_array_size(tree);
	positions = allocator_allocate(tree->allocator, size);
	is_built = positions != NULL && progress_begin(going, dominator_tree_steps(graph)) &&
		   arrange_visits(tree, positions, order, going);
	tree->positions = visit_order_take_visits(order);
	visit_order_destroy(order);
	if (is_built && objects_size(tree, &size))
		tree->objects = allocator_allocate(tree->allocator, size);
	is_built = tree->objects != NULL && fill_objects(tree, positions, graph, going);
	allocator_release(tree->allocator, positions, dominator_tree_array_size(tree));
	return is_built;
}

int dominator_tree_find_ends(const dominator_tree *tree, uint32_t *ends, progress *going)
{
	for (uint32_t position = 0; position <= tree->count; position++)
		ends[position] = position + 1;
	for (uint32_t position = tree->count; position > 0 && progress_step(going); position--) {
		uint32_t *end = &ends[tree->dominators[position]];

		if (*end < ends[position])
			*end = ends[position];
	}
	return !going->is_stopped;
}

uint32_t *dominator_tree_take_positions(dominator_tree *tree)
{
	uint32_t *positions = tree->positions;

	tree->positions = NULL;
	return positions;
}

void dominator_tree_destroy(dominator_tree *tree)
{
	size_t size;

	allocator_release(tree->allocator, tree->positions, dominator_tree_array_size(tree));
	allocator_release(tree->allocator, tree->dominators, dominator_tree_array_size(tree));
	if (objects_size(tree, &size))
		allocator_release(tree->allocator, tree->objects, size);
	memset(tree, 0, sizeof(*tree));
}
