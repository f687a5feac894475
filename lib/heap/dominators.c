/* SPDX-License-Identifier: MIT */
/* Computes dominators and retained sizes of objects and classes. */
#include "heap/dominators.h"

#include "base/checked.h"
#include "heap/dominator_tree.h"
#include "heap/semi_dominators.h"

/* Distances of prefetches, in objects. */
#define POSITIONS_AHEAD 32
#define DOMINATORS_AHEAD 16

/* Sizes of a damaged log may be anything. */
static uint64_t add_saturated(uint64_t sum, uint64_t value)
{
	return sum + value < sum ? UINT64_MAX : sum + value;
}

static void count_reachable(dominators *found, object_graph *graph, const dominator_tree *tree)
{
	for (size_t i = 0; i < graph->class_count; i++) {
		graph->class_table[i].reachable_objects = 0;
		graph->class_table[i].reachable_bytes = 0;
		graph->class_table[i].retained_bytes = 0;
	}
	for (uint32_t position = 1; position <= tree->count; position++) {
		const tree_object *object = &tree->objects[position];
		object_class *entered = &graph->class_table[object->class_index];

		found->reachable_bytes = add_saturated(found->reachable_bytes, object->bytes);
		entered->reachable_objects++;
		entered->reachable_bytes = add_saturated(entered->reachable_bytes, object->bytes);
	}
	found->reachable_objects = tree->count;
}

/* Replaces the sizes in the tree by what objects retain. */
static void sum_objects(const dominator_tree *tree)
{
	/* Objects come after their dominators, so each is complete when it is added to its own. */
	for (uint32_t position = tree->count; position > 0; position--) {
		tree_object *dominator = &tree->objects[tree->dominators[position]];

		dominator->bytes = add_saturated(dominator->bytes, tree->objects[position].bytes);
	}
}

/*
 * Adds to each class what its uppermost objects retain: an object of the class within the range of another one is
 * included in what that one retains. \p ends is by position, \p class_ends by class.
 */
static void sum_classes(object_graph *graph, const dominator_tree *tree, const uint32_t *ends, uint32_t *class_ends)
{
	for (uint32_t position = 1; position <= tree->count; position++) {
		const tree_object *object = &tree->objects[position];
		object_class *entered = &graph->class_table[object->class_index];

		if (position < class_ends[object->class_index])
			continue;
		class_ends[object->class_index] = ends[position];
		entered->retained_bytes = add_saturated(entered->retained_bytes, object->bytes);
	}
}

/* Fills the retained sizes by object, and replaces positions by dominators. */
static void fill_objects(dominators *found, const dominator_tree *tree)
{
	uint32_t *numbers = found->dominators;

	for (uint32_t object = 0; object < tree->object_count; object++) {
		uint32_t position = numbers[object];
		uint32_t dominator = tree->dominators[position];

		if (tree->object_count - object > POSITIONS_AHEAD) {
			uint32_t later = numbers[object + POSITIONS_AHEAD];

			__builtin_prefetch(&tree->dominators[later]);
			__builtin_prefetch(&tree->objects[later]);
			later = tree->dominators[numbers[object + DOMINATORS_AHEAD]];
			__builtin_prefetch(&tree->objects[later]);
		}
		found->retained[object] = position != 0 ? tree->objects[position].bytes : 0;
		if (position == 0)
			numbers[object] = DOMINATOR_UNREACHABLE;
		else
			numbers[object] = dominator != 0 ? tree->objects[dominator].object : DOMINATOR_ROOTS;
	}
}

/* Fills everything from the tree, whose positions become the dominators. Returns 0 if there is no memory. */
static int find_retained(dominators *found, object_graph *graph, dominator_tree *tree)
{
	size_t class_ends_size = (graph->class_count + 1) * sizeof(uint32_t);
	uint32_t *class_ends = allocator_allocate_zeroed(graph->allocator, class_ends_size);
	uint32_t *ends = allocator_allocate(graph->allocator, dominator_tree_array_size(tree));
	int has_memory;
	size_t size;

	if (checked_multiply(graph->object_count, sizeof(*found->retained), &size))
		found->retained = allocator_allocate(graph->allocator, size);
	has_memory = class_ends != NULL && ends != NULL && found->retained != NULL;
	if (has_memory) {
		count_reachable(found, graph, tree);
		sum_objects(tree);
		dominator_tree_find_ends(tree, ends);
		sum_classes(graph, tree, ends, class_ends);
		found->dominators = dominator_tree_take_positions(tree);
		fill_objects(found, tree);
	}
	allocator_release(graph->allocator, class_ends, class_ends_size);
	allocator_release(graph->allocator, ends, dominator_tree_array_size(tree));
	return has_memory;
}

/* Arranges the objects. Returns 0 if there is no memory. */
static int find_dominators(dominator_tree *tree, const object_graph *graph)
{
	visit_order order;
	int is_found;

	memset(&order, 0, sizeof(order));
	is_found = visit_order_build(&order, graph) && semi_dominators_find(&order, graph) &&
		   dominator_tree_build(tree, &order, graph);
	visit_order_destroy(&order);
	return is_found;
}

int dominators_build(dominators *found, object_graph *graph)
{
	dominator_tree tree;
	dominators made;
	int is_made;

	memset(&made, 0, sizeof(made));
	memset(&tree, 0, sizeof(tree));
	tree.allocator = graph->allocator;
	is_made = find_dominators(&tree, graph) && find_retained(&made, graph, &tree);
	dominator_tree_destroy(&tree);
	if (is_made)
		*found = made;
	else
		dominators_destroy(&made, graph);
	return is_made;
}

void dominators_destroy(dominators *found, const object_graph *graph)
{
	size_t count = graph->object_count;

	allocator_release(graph->allocator, found->dominators, (count + 1) * sizeof(*found->dominators));
	allocator_release(graph->allocator, found->retained, count * sizeof(*found->retained));
	memset(found, 0, sizeof(*found));
}
