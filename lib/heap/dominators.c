/* SPDX-License-Identifier: MIT */
/* Computes dominators and retained sizes of objects, classes and sets of objects. */
#include "heap/dominators.h"

#include "base/checked.h"
#include "heap/semi_dominators.h"

/* Sizes of a damaged log may be anything. */
static uint64_t add_saturated(uint64_t sum, uint64_t value)
{
	return sum + value < sum ? UINT64_MAX : sum + value;
}

/* The dominator tree by visit, as needed to visit it from the top. */
typedef struct dominator_tree {
	uint32_t *first_children;
	uint32_t *next_siblings;
	uint32_t *open; /**< By class: number of its objects on the path to the current one. */
} dominator_tree;

static void release_tree(const dominator_tree *tree, const visit_order *order, const object_graph *graph)
{
	size_t size = ((size_t)order->count + 1) * sizeof(uint32_t);

	allocator_release(graph->allocator, tree->first_children, size);
	allocator_release(graph->allocator, tree->next_siblings, size);
	allocator_release(graph->allocator, tree->open, (graph->class_count + 1) * sizeof(*tree->open));
}

/* Returns 0 if there is no memory; the tree must be released in any case. */
static int make_tree(dominator_tree *tree, const visit_order *order, const object_graph *graph)
{
	size_t size = ((size_t)order->count + 1) * sizeof(uint32_t);

	tree->first_children = allocator_allocate_zeroed(graph->allocator, size);
	tree->next_siblings = allocator_allocate_zeroed(graph->allocator, size);
	tree->open = allocator_allocate_zeroed(graph->allocator, (graph->class_count + 1) * sizeof(*tree->open));
	if (tree->first_children == NULL || tree->next_siblings == NULL || tree->open == NULL)
		return 0;
	for (uint32_t visit = order->count; visit > 0; visit--) {
		tree->next_siblings[visit] = tree->first_children[order->parents[visit]];
		tree->first_children[order->parents[visit]] = visit;
	}
	return 1;
}

static void enter_object(const dominators *found, object_graph *graph, dominator_tree *tree, uint32_t object)
{
	uint32_t index = graph->classes[object];
	object_class *entered = &graph->class_table[index];

	/* What an object of the class above retains includes this one. */
	if (tree->open[index]++ == 0)
		entered->retained_bytes = add_saturated(entered->retained_bytes, found->retained[object]);
	entered->reachable_objects++;
	entered->reachable_bytes = add_saturated(entered->reachable_bytes, object_graph_size(graph, object));
}

/* Visits the tree from the top, and adds to each class what its uppermost objects retain. */
static void sum_classes(const dominators *found, object_graph *graph, dominator_tree *tree, const visit_order *order)
{
	uint32_t visit = tree->first_children[0];

	for (size_t i = 0; i < graph->class_count; i++) {
		graph->class_table[i].reachable_objects = 0;
		graph->class_table[i].reachable_bytes = 0;
		graph->class_table[i].retained_bytes = 0;
	}
	while (visit != 0) {
		enter_object(found, graph, tree, order->objects[visit]);
		if (tree->first_children[visit] != 0) {
			visit = tree->first_children[visit];
			continue;
		}
		while (visit != 0 && tree->next_siblings[visit] == 0) {
			tree->open[graph->classes[order->objects[visit]]]--;
			visit = order->parents[visit];
		}
		if (visit != 0) {
			tree->open[graph->classes[order->objects[visit]]]--;
			visit = tree->next_siblings[visit];
		}
	}
}

/* Fills the arrays by object from the dominators by visit. */
static void fill_objects(dominators *found, const object_graph *graph, const visit_order *order)
{
	for (uint32_t object = 0; object < graph->object_count; object++)
		found->dominators[object] = DOMINATOR_UNREACHABLE;
	memset(found->retained, 0, graph->object_count * sizeof(*found->retained));
	/* Objects are visited after their dominators, so each is complete when it is added to its own. */
	for (uint32_t visit = order->count; visit > 0; visit--) {
		uint32_t object = order->objects[visit];
		uint32_t dominator = order->parents[visit];
		uint64_t size = object_graph_size(graph, object);

		found->reachable_bytes = add_saturated(found->reachable_bytes, size);
		found->retained[object] = add_saturated(found->retained[object], size);
		found->dominators[object] = dominator != 0 ? order->objects[dominator] : DOMINATOR_ROOTS;
		if (dominator != 0)
			found->retained[order->objects[dominator]] =
				add_saturated(found->retained[order->objects[dominator]], found->retained[object]);
	}
	found->reachable_objects = order->count;
}

static int make_objects(dominators *found, const object_graph *graph)
{
	size_t count = graph->object_count;
	size_t size;

	memset(found, 0, sizeof(*found));
	if (!checked_multiply(count, sizeof(*found->retained), &size))
		return 0;
	found->dominators = allocator_allocate(graph->allocator, count * sizeof(*found->dominators));
	found->retained = allocator_allocate(graph->allocator, size);
	return found->dominators != NULL && found->retained != NULL;
}

int dominators_build(dominators *found, object_graph *graph)
{
	dominator_tree tree = {NULL, NULL, NULL};
	visit_order order;
	dominators made;
	int is_made;

	memset(&made, 0, sizeof(made));
	is_made = visit_order_build(&order, graph) && semi_dominators_find(&order, graph) &&
		  make_tree(&tree, &order, graph) && make_objects(&made, graph);
	if (is_made) {
		fill_objects(&made, graph, &order);
		sum_classes(&made, graph, &tree, &order);
		*found = made;
	} else {
		dominators_destroy(&made, graph);
	}
	release_tree(&tree, &order, graph);
	visit_order_destroy(&order);
	return is_made;
}

void dominators_destroy(dominators *found, const object_graph *graph)
{
	size_t count = graph->object_count;

	allocator_release(graph->allocator, found->dominators, count * sizeof(*found->dominators));
	allocator_release(graph->allocator, found->retained, count * sizeof(*found->retained));
	memset(found, 0, sizeof(*found));
}
