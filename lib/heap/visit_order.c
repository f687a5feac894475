/* SPDX-License-Identifier: MIT */
/* Visits objects depth first, without recursion. */
#include "heap/visit_order.h"

#include "base/checked.h"

static uint32_t *make_numbers(const mprof_allocator *allocator, size_t count)
{
	size_t size;

	return checked_multiply(count, sizeof(uint32_t), &size) ? allocator_allocate(allocator, size) : NULL;
}

static void visit(visit_order *order, uint32_t object, uint32_t parent)
{
	uint32_t number = ++order->count;

	order->visits[object] = number;
	order->objects[number] = object;
	order->parents[number] = parent;
}

/*
 * Visits an object and all that it reaches. The parents of the current visit are the stack of the search, and
 * \p next_references has, by visit, the next reference to follow.
 */
static void visit_from(visit_order *order, const object_graph *graph, uint32_t *next_references, uint32_t object)
{
	uint32_t current;

	visit(order, object, 0);
	current = order->count;
	next_references[current] = graph->first[object];
	while (current != 0) {
		uint32_t end = graph->first[order->objects[current] + 1];
		uint32_t i = next_references[current];
		uint32_t target = OBJECT_NONE;

		for (; i < end; i++) {
			target = graph->targets[i];
			if (target != OBJECT_NONE && order->visits[target] == 0)
				break;
		}
		next_references[current] = i + 1;
		if (i == end) {
			current = order->parents[current];
			continue;
		}
		visit(order, target, current);
		current = order->count;
		next_references[current] = graph->first[target];
	}
}

int visit_order_build(visit_order *order, const object_graph *graph)
{
	size_t objects = graph->object_count;
	uint32_t *next_references = make_numbers(graph->allocator, objects + 1);

	memset(order, 0, sizeof(*order));
	order->allocator = graph->allocator;
	order->object_count = graph->object_count;
	order->capacity = graph->object_count + 1;
	order->visits = allocator_allocate_zeroed(graph->allocator, (objects + 1) * sizeof(*order->visits));
	order->objects = make_numbers(graph->allocator, order->capacity);
	order->parents = make_numbers(graph->allocator, order->capacity);
	if (next_references == NULL || order->visits == NULL || order->objects == NULL || order->parents == NULL) {
		allocator_release(graph->allocator, next_references, (objects + 1) * sizeof(*next_references));
		return 0;
	}
	order->objects[0] = OBJECT_NONE;
	order->parents[0] = 0;
	for (size_t i = 0; i < graph->root_count; i++) {
		if (order->visits[graph->roots[i].object] == 0)
			visit_from(order, graph, next_references, graph->roots[i].object);
	}
	allocator_release(graph->allocator, next_references, (objects + 1) * sizeof(*next_references));
	return 1;
}

void visit_order_destroy(visit_order *order)
{
	size_t size = order->capacity * sizeof(uint32_t);

	allocator_release(order->allocator, order->visits, ((size_t)order->object_count + 1) * sizeof(*order->visits));
	allocator_release(order->allocator, order->objects, size);
	allocator_release(order->allocator, order->parents, size);
	memset(order, 0, sizeof(*order));
}
