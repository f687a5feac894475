/* SPDX-License-Identifier: MIT */
/* Computes dominators and retained sizes of objects and classes. */
#include "heap/dominators.h"

#include "base/checked.h"
#include "heap/dominator_tree.h"
#include "heap/semi_dominators.h"

/* Distance of prefetches, in positions. */
#define POSITIONS_AHEAD 16

/* Sizes of a damaged log may be anything. */
static uint64_t add_saturated(uint64_t sum, uint64_t value)
{
	return sum + value < sum ? UINT64_MAX : sum + value;
}

/* Adds the size of each object to what it retains, and that to what its dominator retains. */
static void sum_objects(dominators *found, const object_graph *graph, const dominator_tree *tree)
{
	memset(found->retained, 0, graph->object_count * sizeof(*found->retained));
	/* Objects come after their dominators, so each is complete when it is added to its own. */
	for (uint32_t position = tree->count; position > 0; position--) {
		uint32_t object = tree->objects[position];
		uint32_t dominator = found->dominators[object];
		uint64_t size = object_graph_size(graph, object);

		if (position > POSITIONS_AHEAD) {
			uint32_t later = tree->objects[position - POSITIONS_AHEAD];

			__builtin_prefetch(&found->retained[later], 1);
			__builtin_prefetch(&found->dominators[later]);
			__builtin_prefetch(&graph->sizes[later]);
		}
		found->reachable_bytes = add_saturated(found->reachable_bytes, size);
		found->retained[object] = add_saturated(found->retained[object], size);
		if (dominator != DOMINATOR_ROOTS)
			found->retained[dominator] = add_saturated(found->retained[dominator], found->retained[object]);
	}
	found->reachable_objects = tree->count;
}

/*
 * Adds to each class what its uppermost objects retain: an object of the class within the range of another one is
 * included in what that one retains. \p ends is by class.
 */
static void sum_classes(const dominators *found, object_graph *graph, const dominator_tree *tree, uint32_t *ends)
{
	for (size_t i = 0; i < graph->class_count; i++) {
		graph->class_table[i].reachable_objects = 0;
		graph->class_table[i].reachable_bytes = 0;
		graph->class_table[i].retained_bytes = 0;
	}
	for (uint32_t position = 1; position <= tree->count; position++) {
		uint32_t object = tree->objects[position];
		uint32_t index = graph->classes[object];
		object_class *entered = &graph->class_table[index];

		if (tree->count - position >= POSITIONS_AHEAD) {
			uint32_t later = tree->objects[position + POSITIONS_AHEAD];

			__builtin_prefetch(&graph->classes[later]);
			__builtin_prefetch(&graph->sizes[later]);
			__builtin_prefetch(&found->retained[later]);
		}
		if (position >= ends[index]) {
			ends[index] = tree->ends[position];
			entered->retained_bytes = add_saturated(entered->retained_bytes, found->retained[object]);
		}
		entered->reachable_objects++;
		entered->reachable_bytes = add_saturated(entered->reachable_bytes, object_graph_size(graph, object));
	}
}

/* Fills the dominators by object, and makes the tree. Returns 0 if there is no memory. */
static int find_dominators(dominators *found, const object_graph *graph, dominator_tree *tree)
{
	visit_order order;
	int is_found = visit_order_build(&order, graph) && semi_dominators_find(&order, graph);

	if (is_found) {
		found->dominators =
			allocator_allocate(graph->allocator, graph->object_count * sizeof(*found->dominators));
		is_found = found->dominators != NULL;
	}
	if (is_found) {
		for (uint32_t object = 0; object < graph->object_count; object++)
			found->dominators[object] = DOMINATOR_UNREACHABLE;
		is_found = dominator_tree_build(tree, &order, found->dominators, DOMINATOR_ROOTS);
	}
	visit_order_destroy(&order);
	return is_found;
}

/* Fills what objects and classes retain. Returns 0 if there is no memory. */
static int find_retained(dominators *found, object_graph *graph, const dominator_tree *tree)
{
	size_t ends_size = (graph->class_count + 1) * sizeof(uint32_t);
	uint32_t *ends = allocator_allocate_zeroed(graph->allocator, ends_size);
	size_t size;

	if (checked_multiply(graph->object_count, sizeof(*found->retained), &size))
		found->retained = allocator_allocate(graph->allocator, size);
	if (ends != NULL && found->retained != NULL) {
		sum_objects(found, graph, tree);
		sum_classes(found, graph, tree, ends);
	}
	allocator_release(graph->allocator, ends, ends_size);
	return ends != NULL && found->retained != NULL;
}

int dominators_build(dominators *found, object_graph *graph)
{
	dominator_tree tree = {graph->allocator, 0, NULL, NULL};
	dominators made;
	int is_made;

	memset(&made, 0, sizeof(made));
	is_made = find_dominators(&made, graph, &tree) && find_retained(&made, graph, &tree);
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

	allocator_release(graph->allocator, found->dominators, count * sizeof(*found->dominators));
	allocator_release(graph->allocator, found->retained, count * sizeof(*found->retained));
	memset(found, 0, sizeof(*found));
}
