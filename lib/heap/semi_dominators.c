/* SPDX-License-Identifier: MIT */
/*
 * Semi-NCA: semidominators in descending order of visits, with path compression but without balancing; then the nearest
 * common ancestors of semidominators and parents in ascending order. These are found step by step as long as all
 * visits together need few steps, which is the case in heaps of programs; then with jumps over ancestors, so that the
 * time is at most proportional to the references times the logarithm of the visits in any graph.
 *
 * All arrays are by visit. In a depth-first search, a reference to a later visit leads to a descendant, so its source
 * is a candidate for the semidominator as it is. Only references to earlier visits need a search for the minimum, and
 * only these are stored as predecessors: usually a small part. All references are visited in the order of addresses,
 * and predecessors are used in the order in which they are stored, so what they lead to can be prefetched. A search
 * follows about seven ancestors in a random graph; the paths of several predecessors are prefetched together.
 */
#include "heap/semi_dominators.h"

/* Distances of prefetches, in elements of the array that is read in order. */
#define TARGETS_AHEAD 32
#define EDGES_AHEAD 16
#define VISITS_AHEAD 16

/* Predecessors whose paths are followed together, and how far: paths are compressed, so few are longer. */
#define PATHS_AHEAD 32
#define MAX_STEPS_AHEAD 64

/* Steps from ancestor to ancestor for each visit, on average of all before it, after which jumps are faster. */
#define STEPS_PER_VISIT 8

/* A visit: both fields are used together. */
typedef struct semi_node {
	uint32_t ancestor; /**< The parent, replaced by earlier ancestors as paths are compressed. */
	uint32_t label;    /**< The minimum of semi on the path to the ancestor, which is not included. Before the visit
	                        has been processed: the index of its first predecessor. */
} semi_node;

typedef struct semi_state {
	const mprof_allocator *allocator;
	size_t count; /**< Elements of nodes and semi. */
	semi_node *nodes;
	uint32_t *semi;         /**< The semidominator, as far as it is known. */
	uint32_t *predecessors; /**< Visits later than the one that they refer to. */
	uint32_t predecessor_count;
	progress *going;
} semi_state;

static void release_state(semi_state *state)
{
	allocator_release(state->allocator, state->nodes, state->count * sizeof(*state->nodes));
	allocator_release(state->allocator, state->semi, state->count * sizeof(*state->semi));
	allocator_release(state->allocator, state->predecessors, state->predecessor_count * sizeof(uint32_t));
}

/* References between visits that are used when what they lead to has been prefetched. */
typedef struct edge_queue {
	semi_state *state;
	uint32_t sources[EDGES_AHEAD];
	uint32_t targets[EDGES_AHEAD];
	uint32_t count; /**< References that were put into the queue. */
} edge_queue;

/* Counts a reference to an earlier visit; the others propose their semidominator at once. */
static void count_edge(semi_state *state, uint32_t source, uint32_t target)
{
	if (target < source)
		state->nodes[target].label++;
	else if (source < state->semi[target])
		state->semi[target] = source;
}

static void fill_edge(semi_state *state, uint32_t source, uint32_t target)
{
	if (target < source)
		state->predecessors[--state->nodes[target].label] = source;
}

/* A reference of visit 0 to itself, which an empty queue has, is neither counted nor filled. */
static void use_edge(semi_state *state, uint32_t source, uint32_t target, int is_filling)
{
	if (is_filling)
		fill_edge(state, source, target);
	else
		count_edge(state, source, target);
}

static inline void put_edge(edge_queue *queue, uint32_t source, uint32_t target, int is_filling)
{
	uint32_t slot = queue->count++ % EDGES_AHEAD;
	semi_state *state = queue->state;

	if (target < source)
		__builtin_prefetch(&state->nodes[target].label, 1);
	else if (!is_filling)
		__builtin_prefetch(&state->semi[target], 1);
	use_edge(state, queue->sources[slot], queue->targets[slot], is_filling);
	queue->sources[slot] = source;
	queue->targets[slot] = target;
}

/*
 * Counts all references between visits, or fills predecessors with those that were counted. Returns 0 if it has to
 * stop.
 */
static inline int visit_edges(semi_state *state, const visit_order *order, const object_graph *graph, int is_filling)
{
	edge_queue queue = {.state = state};

	for (uint32_t object = 0; object < graph->object_count; object++) {
		uint32_t source = order->visits[object];

		if (!progress_step(state->going))
			return 0;
		if (source == 0)
			continue;
		for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++) {
			uint32_t target = graph->targets[i];
			uint32_t later = graph->reference_count - i > TARGETS_AHEAD ? graph->targets[i + TARGETS_AHEAD]
										    : OBJECT_NONE;

			if (!progress_step(state->going))
				return 0;
			if (later != OBJECT_NONE)
				__builtin_prefetch(&order->visits[later]);
			if (target != OBJECT_NONE)
				put_edge(&queue, source, order->visits[target], is_filling);
		}
	}
	for (uint32_t i = 0; i < EDGES_AHEAD; i++)
		use_edge(state, queue.sources[i], queue.targets[i], is_filling);
	return 1;
}

/* Returns 0 if there is no memory or it has to stop. */
static int find_predecessors(semi_state *state, const visit_order *order, const object_graph *graph)
{
	const uint64_t steps = (uint64_t)graph->object_count + graph->reference_count;
	uint32_t sum = 0;

	if (!progress_begin(state->going, steps) || !visit_edges(state, order, graph, 0))
		return 0;
	for (size_t i = 0; i < state->count; i++) {
		sum += state->nodes[i].label;
		state->nodes[i].label = sum;
	}
	state->predecessor_count = sum;
	if (sum == 0)
		return progress_begin(state->going, steps);
	state->predecessors = allocator_allocate(state->allocator, sum * sizeof(*state->predecessors));
	if (state->predecessors == NULL)
		return 0;
	/* Moves each label from the end of the predecessors of its visit to their start. */
	return progress_begin(state->going, steps) && visit_edges(state, order, graph, 1);
}

/*
 * The minimum label on the path from a visit up to the first ancestor that is not after \p limit. Compresses the path:
 * on the way up, each ancestor is replaced by the visit below it, so that the way down needs no stack.
 */
static uint32_t find_minimum(semi_node *nodes, uint32_t visit, uint32_t limit)
{
	uint32_t below = 0;
	uint32_t top;
	uint32_t label;

	while (nodes[visit].ancestor > limit) {
		uint32_t above = nodes[visit].ancestor;

		nodes[visit].ancestor = below;
		below = visit;
		visit = above;
	}
	top = nodes[visit].ancestor;
	label = nodes[visit].label;
	while (below != 0) {
		uint32_t next = nodes[below].ancestor;

		nodes[below].ancestor = top;
		if (label < nodes[below].label)
			nodes[below].label = label;
		label = nodes[below].label;
		below = next;
	}
	return label;
}

/*
 * Follows the paths of several predecessors at once, as find_minimum() will. A path is a chain of loads, each of which
 * would wait for memory; in turns, they wait together.
 */
static void prefetch_paths(const semi_node *nodes, const uint32_t *predecessors, uint32_t count, uint32_t limit)
{
	uint32_t visits[PATHS_AHEAD];

	memcpy(visits, predecessors, count * sizeof(*visits));
	for (uint32_t step = 0; count > 0 && step < MAX_STEPS_AHEAD; step++) {
		uint32_t left = 0;

		for (uint32_t i = 0; i < count; i++) {
			uint32_t above = nodes[visits[i]].ancestor;

			__builtin_prefetch(&nodes[above], 1);
			visits[left] = above;
			left += above > limit;
		}
		count = left;
	}
}

/* Prepares the search for the minimum from the predecessors that come next; \p index is after the first of them. */
static void prefetch_predecessors(const semi_state *state, uint32_t index, uint32_t limit)
{
	uint32_t first = index > PATHS_AHEAD ? index - PATHS_AHEAD : 0;
	uint32_t later = first > PATHS_AHEAD ? first - PATHS_AHEAD : 0;

	for (uint32_t i = later; i < first; i++)
		__builtin_prefetch(&state->nodes[state->predecessors[i]], 1);
	prefetch_paths(state->nodes, &state->predecessors[first], index - first, limit);
}

/* Returns 0 if it has to stop. */
static int find_semi_dominators(semi_state *state, const visit_order *order)
{
	uint32_t i = state->predecessor_count;
	uint32_t prepared = i;

	for (uint32_t visit = order->count; visit > 0; visit--) {
		uint32_t first = state->nodes[visit].label;
		uint32_t semi = state->semi[visit];

		if (!progress_step(state->going))
			return 0;
		/* Nothing is less than 0. */
		while (i > first && semi != 0) {
			uint32_t label;

			if (!progress_step(state->going))
				return 0;
			if (i <= prepared) {
				prefetch_predecessors(state, i, visit);
				prepared = i > PATHS_AHEAD ? i - PATHS_AHEAD : 0;
			}
			label = find_minimum(state->nodes, state->predecessors[--i], visit);
			semi = label < semi ? label : semi;
		}
		i = first;
		state->semi[visit] = semi;
		state->nodes[visit].label = semi;
	}
	return 1;
}

static int init_state(semi_state *state, const visit_order *order, const object_graph *graph, progress *going)
{
	memset(state, 0, sizeof(*state));
	state->going = going;
	state->allocator = order->allocator;
	state->count = (size_t)order->count + 1;
	state->nodes = allocator_allocate(state->allocator, state->count * sizeof(*state->nodes));
	state->semi = allocator_allocate(state->allocator, state->count * sizeof(*state->semi));
	if (state->nodes == NULL || state->semi == NULL)
		return 0;
	for (size_t i = 0; i < state->count; i++) {
		state->nodes[i].ancestor = order->parents[i];
		state->nodes[i].label = 0;
		state->semi[i] = order->parents[i];
	}
	for (size_t i = 0; i < graph->root_count; i++)
		state->semi[order->visits[graph->roots[i].object]] = 0;
	return 1;
}

/*
 * Jumps over ancestors: each visit has one to an ancestor such that any ancestor is reached in logarithmically many
 * jumps and steps (Myers, "An applicative random-access stack", 1983). The length of a jump depends on the depth alone,
 * and the parent of a visit gets its own before.
 */
static void set_jump(semi_node *nodes, const uint32_t *parents, uint32_t visit)
{
	const uint32_t parent = parents[visit];
	const uint32_t jump = nodes[parent].ancestor;
	const uint32_t next = nodes[jump].ancestor;
	const int is_joined =
		parent != 0 && nodes[parent].label - nodes[jump].label == nodes[jump].label - nodes[next].label;

	nodes[visit].label = nodes[parent].label + 1;
	nodes[visit].ancestor = is_joined ? next : parent;
}

/* The arrays of semidominators are no longer used: each ancestor becomes the end of a jump, each label a depth. */
static void set_jumps(semi_node *nodes, const uint32_t *parents, uint32_t end)
{
	nodes[0].ancestor = 0;
	nodes[0].label = 0;
	for (uint32_t visit = 1; visit < end; visit++)
		set_jump(nodes, parents, visit);
}

/* The rest of find_dominators() from a visit on, with jumps. */
static int find_dominators_by_jumps(semi_state *state, const visit_order *order, uint32_t visit)
{
	uint32_t *parents = order->parents;
	semi_node *nodes = state->nodes;

	set_jumps(nodes, parents, visit);
	for (; visit <= order->count; visit++) {
		const uint32_t semi = state->semi[visit];
		uint32_t dominator = parents[visit];

		while (dominator > semi && progress_step(state->going)) {
			const uint32_t jump = nodes[dominator].ancestor;

			dominator = jump >= semi ? jump : parents[dominator];
		}
		if (!progress_step(state->going))
			return 0;
		parents[visit] = dominator;
		set_jump(nodes, parents, visit);
	}
	return 1;
}

/*
 * Replaces each parent by the nearest of its dominators that is not after the semidominator. Returns 0 if it has to
 * stop.
 */
static int find_dominators(semi_state *state, const visit_order *order)
{
	uint64_t steps = 0;

	for (uint32_t visit = 1; visit <= order->count; visit++) {
		uint32_t dominator = order->parents[visit];
		const uint64_t most_steps = (uint64_t)STEPS_PER_VISIT * visit;

		if (order->count - visit >= VISITS_AHEAD)
			__builtin_prefetch(&order->parents[order->parents[visit + VISITS_AHEAD]]);
		while (dominator > state->semi[visit] && steps < most_steps && progress_step(state->going)) {
			dominator = order->parents[dominator];
			steps++;
		}
		if (!progress_step(state->going))
			return 0;
		if (dominator > state->semi[visit])
			return find_dominators_by_jumps(state, order, visit);
		order->parents[visit] = dominator;
	}
	return 1;
}

int semi_dominators_find(visit_order *order, const object_graph *graph, progress *going)
{
	semi_state state;
	int is_found = init_state(&state, order, graph, going) && find_predecessors(&state, order, graph) &&
		       progress_begin(going, (uint64_t)graph->object_count + graph->reference_count) &&
		       find_semi_dominators(&state, order) && progress_begin(going, graph->object_count) &&
		       find_dominators(&state, order);

	release_state(&state);
	return is_found;
}
