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

/* Passes over the objects of the tree that find_retained() makes. */
#define RETAINED_PASSES 5

static void clear_classes(object_graph *graph)
{
	for (size_t i = 0; i < graph->class_count; i++) {
		graph->class_table[i].reachable_objects = 0;
		graph->class_table[i].reachable_bytes = 0;
		graph->class_table[i].retained_bytes = 0;
	}
}

static int count_reachable(dominators *found, object_graph *graph, const dominator_tree *tree, progress *going)
{
	for (uint32_t position = 1; position <= tree->count && progress_step(going); position++) {
		const tree_object *object = &tree->objects[position];
		object_class *entered = &graph->class_table[object->class_index];

		found->reachable_bytes = add_saturated(found->reachable_bytes, object->bytes);
		entered->reachable_objects++;
		entered->reachable_bytes = add_saturated(entered->reachable_bytes, object->bytes);
	}
	found->reachable_objects = tree->count;
	return !going->is_stopped;
}

/* Replaces the sizes in the tree by what objects retain. */
static int sum_objects(const dominator_tree *tree, progress *going)
{
	/* Objects come after their dominators, so each is complete when it is added to its own. */
	for (uint32_t position = tree->count; position > 0 && progress_step(going); position--) {
		tree_object *dominator = &tree->objects[tree->dominators[position]];

		dominator->bytes = add_saturated(dominator->bytes, tree->objects[position].bytes);
	}
	return !going->is_stopped;
}

/*
 * Adds to each class what its uppermost objects retain: an object of the class within the range of another one is
 * included in what that one retains. \p ends is by position, \p class_ends by class.
 */
static int sum_classes(object_graph *graph, const dominator_tree *tree, const uint32_t *ends, uint32_t *class_ends,
		       progress *going)
{
	for (uint32_t position = 1; position <= tree->count && progress_step(going); position++) {
		const tree_object *object = &tree->objects[position];
		object_class *entered = &graph->class_table[object->class_index];

		if (position < class_ends[object->class_index])
			continue;
		class_ends[object->class_index] = ends[position];
		entered->retained_bytes = add_saturated(entered->retained_bytes, object->bytes);
	}
	return !going->is_stopped;
}

/* Fills the retained sizes by object, and replaces positions by dominators. */
static int fill_objects(dominators *found, const dominator_tree *tree, progress *going)
{
	uint32_t *numbers = found->dominators;

	for (uint32_t object = 0; object < tree->object_count && progress_step(going); object++) {
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
	return !going->is_stopped;
}

/*
 * Fills everything from the tree, whose positions become the dominators. Returns 0 if there is no memory or it has to
 * stop.
 */
static int find_retained(dominators *found, object_graph *graph, dominator_tree *tree, progress *going)
{
	size_t class_ends_size = (graph->class_count + 1) * sizeof(uint32_t);
	uint32_t *class_ends = allocator_allocate_zeroed(graph->allocator, class_ends_size);
	uint32_t *ends = allocator_allocate(graph->allocator, dominator_tree_array_size(tree));
	int is_found;
	size_t size;

	if (checked_multiply(graph->object_count, sizeof(*found->retained), &size))
		found->retained = allocator_allocate(graph->allocator, size);
	is_found = class_ends != NULL && ends != NULL && found->retained != NULL &&
		   progress_begin(going, (uint64_t)RETAINED_PASSES * graph->object_count) &&
		   count_reachable(found, graph, tree, going) && sum_objects(tree, going) &&
		   dominator_tree_find_ends(tree, ends, going) && sum_classes(graph, tree, ends, class_ends, going);
	if (is_found) {
		found->dominators = dominator_tree_take_positions(tree);
		is_found = fill_objects(found, tree, going) && progress_end(going);
	}
	allocator_release(graph->allocator, class_ends, class_ends_size);
	allocator_release(graph->allocator, ends, dominator_tree_array_size(tree));
	return is_found;
}

/* Arranges the objects. Returns 0 if there is no memory or it has to stop. */
static int find_dominators(dominator_tree *tree, const object_graph *graph, progress *going)
{
	visit_order order;
	int is_found;

	memset(&order, 0, sizeof(order));
	is_found = visit_order_build(&order, graph, going) && semi_dominators_find(&order, graph, going) &&
		   dominator_tree_build(tree, &order, graph, going);
	visit_order_destroy(&order);
	return is_found;
}

uint64_t dominators_steps(const object_graph *graph)
{
	return visit_order_steps(graph) + semi_dominators_steps(graph) + dominator_tree_steps(graph) +
	       (uint64_t)RETAINED_PASSES * graph->object_count;
}

int dominators_build(dominators *found, object_graph *graph, progress *going)
{
	dominator_tree tree;
	dominators made;
	int is_made;

	memset(&made, 0, sizeof(made));
	memset(&tree, 0, sizeof(tree));
	tree.allocator = graph->allocator;
	is_made = find_dominators(&tree, graph, going) && find_retained(&made, graph, &tree, going);
	dominator_tree_destroy(&tree);
	if (is_made) {
		*found = made;
	} else {
		dominators_destroy(&made, graph);
		clear_classes(graph);
	}
	return is_made;
}

void dominators_destroy(dominators *found, const object_graph *graph)
{
	size_t count = graph->object_count;

	allocator_release(graph->allocator, found->dominators, (count + 1) * sizeof(*found->dominators));
	allocator_release(graph->allocator, found->retained, count * sizeof(*found->retained));
	memset(found, 0, sizeof(*found));
}
