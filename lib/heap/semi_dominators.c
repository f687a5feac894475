/* SPDX-License-Identifier: MIT */
/*
 * Semi-NCA: semidominators in descending order of visits, with path compression but without balancing; then the nearest
 * common ancestors of semidominators and parents in ascending order.
 *
 * All arrays are by visit. In a depth-first search, a reference to a later visit leads to a descendant, so its source
 * is a candidate for the semidominator as it is. Only references to earlier visits need a search for the minimum, and
 * only these are stored as predecessors: usually a small part.
 */
#include "heap/semi_dominators.h"

typedef struct semi_state {
	const mprof_allocator *allocator;
	size_t count;           /**< Elements of each array but predecessors. */
	uint32_t *semi;         /**< The semidominator, as far as it is known. */
	uint32_t *labels;       /**< The minimum of semi on the path to the ancestor, which is not included. */
	uint32_t *ancestors;    /**< Parents, replaced by earlier ancestors as paths are compressed. */
	uint32_t *first;        /**< Index of the first predecessor; one more element for the end of the last. */
	uint32_t *predecessors; /**< Visits later than the one that they refer to. */
	uint32_t predecessor_count;
} semi_state;

static void release_state(semi_state *state)
{
	size_t size = state->count * sizeof(uint32_t);

	allocator_release(state->allocator, state->semi, size);
	allocator_release(state->allocator, state->labels, size);
	allocator_release(state->allocator, state->ancestors, size);
	allocator_release(state->allocator, state->first, size);
	allocator_release(state->allocator, state->predecessors, state->predecessor_count * sizeof(uint32_t));
}

/* Visits all references to earlier visits, from the last visit to the first. */
static void fill_predecessors(semi_state *state, const visit_order *order, const object_graph *graph)
{
	for (uint32_t source = order->count; source > 0; source--) {
		uint32_t object = order->objects[source];

		for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++) {
			uint32_t visit = graph->targets[i] != OBJECT_NONE ? order->visits[graph->targets[i]] : source;

			if (visit < source)
				state->predecessors[--state->first[visit + 1]] = source;
		}
	}
}

/* Counts references to earlier visits by target, and lets the other ones propose their semidominator at once. */
static void count_predecessors(semi_state *state, const visit_order *order, const object_graph *graph)
{
	for (uint32_t source = 1; source <= order->count; source++) {
		uint32_t object = order->objects[source];

		for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++) {
			uint32_t visit = graph->targets[i] != OBJECT_NONE ? order->visits[graph->targets[i]] : source;

			if (visit < source)
				state->first[visit + 1]++;
			else if (source < state->semi[visit])
				state->semi[visit] = source;
		}
	}
}

/* Returns 0 if there is no memory. */
static int find_predecessors(semi_state *state, const visit_order *order, const object_graph *graph)
{
	uint32_t sum = 0;

	memset(state->first, 0, state->count * sizeof(*state->first));
	count_predecessors(state, order, graph);
	for (size_t i = 1; i < state->count; i++) {
		sum += state->first[i];
		state->first[i] = sum;
	}
	state->predecessor_count = sum;
	if (sum == 0)
		return 1;
	state->predecessors = allocator_allocate(state->allocator, sum * sizeof(*state->predecessors));
	if (state->predecessors == NULL)
		return 0;
	/* Moves each element back to the start of its predecessors: first[visit + 1] becomes the start of visit. */
	fill_predecessors(state, order, graph);
	memmove(state->first, state->first + 1, (state->count - 1) * sizeof(*state->first));
	state->first[state->count - 1] = sum;
	return 1;
}

/*
 * The minimum label on the path from a visit up to the first ancestor that is not after \p limit. Compresses the path:
 * on the way up, each ancestor is replaced by the visit below it, so that the way down needs no stack.
 */
static uint32_t find_minimum(semi_state *state, uint32_t visit, uint32_t limit)
{
	uint32_t *ancestors = state->ancestors;
	uint32_t *labels = state->labels;
	uint32_t below = 0;
	uint32_t top;
	uint32_t label;

	while (ancestors[visit] > limit) {
		uint32_t above = ancestors[visit];

		ancestors[visit] = below;
		below = visit;
		visit = above;
	}
	top = ancestors[visit];
	label = labels[visit];
	while (below != 0) {
		uint32_t next = ancestors[below];

		ancestors[below] = top;
		if (label < labels[below])
			labels[below] = label;
		label = labels[below];
		below = next;
	}
	return label;
}

static void find_semi_dominators(semi_state *state, const visit_order *order)
{
	for (uint32_t visit = order->count; visit > 0; visit--) {
		uint32_t semi = state->semi[visit];

		for (uint32_t i = state->first[visit]; i < state->first[visit + 1]; i++) {
			uint32_t label = find_minimum(state, state->predecessors[i], visit);

			semi = label < semi ? label : semi;
		}
		state->semi[visit] = semi;
		state->labels[visit] = semi;
	}
}

static int init_state(semi_state *state, const visit_order *order, const object_graph *graph)
{
	size_t size;

	memset(state, 0, sizeof(*state));
	state->allocator = order->allocator;
	state->count = (size_t)order->count + 2;
	size = state->count * sizeof(uint32_t);
	state->semi = allocator_allocate(state->allocator, size);
	state->labels = allocator_allocate(state->allocator, size);
	state->ancestors = allocator_allocate(state->allocator, size);
	state->first = allocator_allocate(state->allocator, size);
	if (state->semi == NULL || state->labels == NULL || state->ancestors == NULL || state->first == NULL)
		return 0;
	memcpy(state->semi, order->parents, ((size_t)order->count + 1) * sizeof(*state->semi));
	memcpy(state->ancestors, order->parents, ((size_t)order->count + 1) * sizeof(*state->ancestors));
	for (size_t i = 0; i < graph->root_count; i++)
		state->semi[order->visits[graph->roots[i].object]] = 0;
	return 1;
}

int semi_dominators_find(visit_order *order, const object_graph *graph)
{
	semi_state state;

	if (!init_state(&state, order, graph) || !find_predecessors(&state, order, graph)) {
		release_state(&state);
		return 0;
	}
	find_semi_dominators(&state, order);
	for (uint32_t visit = 1; visit <= order->count; visit++) {
		uint32_t dominator = order->parents[visit];

		while (dominator > state.semi[visit])
			dominator = order->parents[dominator];
		order->parents[visit] = dominator;
	}
	release_state(&state);
	return 1;
}
