/* SPDX-License-Identifier: MIT */
/*
 * Visits objects depth first, without recursion.
 *
 * The search of a large heap waits for memory: each object is at a random place of three arrays. So the numbers and the
 * first references of all targets of an object are prefetched together when it is visited, and those of an object that
 * the search returns to before it does.
 */
#include "heap/visit_order.h"

#include "base/checked.h"

/* Targets of a visited object that are prefetched; most objects have fewer. */
#define PREFETCHED_TARGETS 8

/* Levels above the current one where the next target is prefetched. */
#define PREFETCHED_LEVELS 3

/* The references of a visited object that the search has not followed yet. */
typedef struct open_visit {
	uint32_t next;
	uint32_t end;
} open_visit;

typedef struct visit_search {
	visit_order *order;
	const object_graph *graph;
	open_visit *open; /**< By depth. */
	size_t depth;
	progress *going;
} visit_search;

static void prefetch_target(const visit_search *search, uint32_t target)
{
	if (target == OBJECT_NONE)
		return;
	__builtin_prefetch(&search->order->visits[target]);
	__builtin_prefetch(&search->graph->first[target]);
}

static void enter_object(visit_search *search, uint32_t object, uint32_t parent)
{
	const object_graph *graph = search->graph;
	open_visit *open = &search->open[search->depth++];
	uint32_t number = ++search->order->count;

	search->order->visits[object] = number;
	search->order->parents[number] = parent;
	open->next = graph->first[object];
	open->end = graph->first[object + 1];
	for (uint32_t i = open->next; i < open->end && i - open->next < PREFETCHED_TARGETS; i++)
		prefetch_target(search, graph->targets[i]);
}

/*
 * Follows references up to one to an object that has not been visited. Returns it, or #OBJECT_NONE, also if the search
 * has to stop.
 */
static uint32_t next_unvisited(const visit_search *search, open_visit *open)
{
	while (open->next < open->end && progress_step(search->going)) {
		uint32_t target = search->graph->targets[open->next++];

		if (target != OBJECT_NONE && search->order->visits[target] == 0)
			return target;
	}
	return OBJECT_NONE;
}

static void leave_object(visit_search *search)
{
	search->depth--;
	if (search->depth >= PREFETCHED_LEVELS) {
		const open_visit *above = &search->open[search->depth - PREFETCHED_LEVELS];

		if (above->next < above->end)
			prefetch_target(search, search->graph->targets[above->next]);
	}
}

/*
 * Visits an object and all that it reaches. The parents of the current visit are the stack of the search. Returns 0 if
 * it has to stop.
 */
static int visit_from(visit_search *search, uint32_t object)
{
	uint32_t current;

	enter_object(search, object, 0);
	current = search->order->count;
	while (current != 0 && progress_step(search->going)) {
		uint32_t target = next_unvisited(search, &search->open[search->depth - 1]);

		if (target == OBJECT_NONE) {
			leave_object(search);
			current = search->order->parents[current];
		} else {
			enter_object(search, target, current);
			current = search->order->count;
		}
	}
	return !search->going->is_stopped;
}

static int visit_all(visit_search *search)
{
	const object_graph *graph = search->graph;

	search->order->parents[0] = 0;
	for (size_t i = 0; i < graph->root_count; i++) {
		if (search->order->visits[graph->roots[i].object] == 0 && !visit_from(search, graph->roots[i].object))
			return 0;
	}
	return 1;
}

static size_t visits_size(const visit_order *order)
{
	return ((size_t)order->object_count + 1) * sizeof(uint32_t);
}

int visit_order_build(visit_order *order, const object_graph *graph, progress *going)
{
	visit_search search = {order, graph, NULL, 0, going};
	size_t open_size;
	int is_built;

	memset(order, 0, sizeof(*order));
	order->allocator = graph->allocator;
	order->object_count = graph->object_count;
	if (!checked_multiply((size_t)graph->object_count + 1, sizeof(*search.open), &open_size))
		return 0;
	order->visits = allocator_allocate_zeroed(graph->allocator, visits_size(order));
	order->parents = allocator_allocate(graph->allocator, visits_size(order));
	search.open = allocator_allocate(graph->allocator, open_size);
	is_built = search.open != NULL && order->visits != NULL && order->parents != NULL &&
		   progress_begin(going, visit_order_steps(graph)) && visit_all(&search);
	allocator_release(graph->allocator, search.open, open_size);
	return is_built;
}

uint32_t *visit_order_take_visits(visit_order *order)
{
	uint32_t *visits = order->visits;

	order->visits = NULL;
	return visits;
}

void visit_order_destroy(visit_order *order)
{
	allocator_release(order->allocator, order->visits, visits_size(order));
	allocator_release(order->allocator, order->parents, visits_size(order));
	memset(order, 0, sizeof(*order));
}
