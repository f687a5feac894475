/* SPDX-License-Identifier: MIT */
/* Finds dominators: which objects keep others alive. */
#include "heap/dominators.h"

#include "base/allocator.h"

/*
 * Visits are numbered from 1; 0 is the imaginary object that refers to all roots. An object is visited before those
 * that were found through it.
 */

typedef struct visit_order {
	const mprof_allocator *allocator;
	uint32_t object_count; /* Of the graph. */
	uint32_t count;        /* Objects visited. */
	uint32_t *visits;      /* By object: its visit; 0 if no root reaches it. */
	uint32_t *parents;     /* By visit: the visit that it was found from; 0: a root. */
} visit_order;

/* Steps of visit_order_build(). */
static inline uint64_t visit_order_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->object_count + graph->reference_count;
}

/* Targets of a visited object that are prefetched; most objects have fewer. */
#define PREFETCHED_TARGETS 8

/* Levels above the current one where the next target is prefetched. */
#define PREFETCHED_LEVELS 3

/*
 * The search of a large heap waits for memory: each object is at a random place of three arrays. So the numbers and the
 * first references of all targets of an object are prefetched together when it is visited, and those of an object that
 * the search returns to before it does.
 */

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

/* Searches the graph. Returns 0 if there is no memory or it was stopped; the order can then only be destroyed. */
static int visit_order_build(visit_order *order, const object_graph *graph, progress *going)
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

/* Returns the visits, one more than objects; the caller frees them. */
static uint32_t *visit_order_take_visits(visit_order *order)
{
	uint32_t *visits = order->visits;

	order->visits = NULL;
	return visits;
}

/* Frees the order. */
static void visit_order_destroy(visit_order *order)
{
	allocator_release(order->allocator, order->visits, visits_size(order));
	allocator_release(order->allocator, order->parents, visits_size(order));
	memset(order, 0, sizeof(*order));
}

/*
 * Each object is followed by those that it dominates, so they are a range of positions. Positions are numbered from 1;
 * 0 is the imaginary object that refers to all roots.
 */

/* What sums need of an object, in one place. */
typedef struct tree_object {
	uint64_t bytes; /* Its size. */
	uint32_t class_index;
	uint32_t object;
} tree_object;

typedef struct dominator_tree {
	const mprof_allocator *allocator;
	uint32_t object_count; /* Of the graph. */
	uint32_t count;        /* Reachable objects. */
	uint32_t *positions;   /* By object; 0 if no root reaches it. */
	uint32_t *dominators;  /* By position: the position of the immediate dominator. */
	tree_object *objects;  /* By position. */
} dominator_tree;

/* Steps of dominator_tree_build(). */
static inline uint64_t dominator_tree_steps(const object_graph *graph)
{
	return 4 * (uint64_t)graph->object_count;
}

/* Distance of prefetches, in elements of the array that is read in order. */
#define POSITIONS_AHEAD 32
#define OBJECTS_AHEAD 16

/*
 * Visits and positions are in similar orders, since most objects have dominators near the roots. Objects are in another
 * order, so each array by object is read once, from its start, and its elements are stored where they are summed up.
 */

/* Bytes of the positions, the dominators, and the ends. */
static size_t dominator_tree_array_size(const dominator_tree *tree)
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

/*
 * Arranges the objects. The parents of order are the immediate dominators; the order is destroyed. Returns 0 if
 * there is no memory or it was stopped; the tree must be destroyed in any case.
 */
static int dominator_tree_build(dominator_tree *tree, visit_order *order, const object_graph *graph, progress *going)
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

/*
 * Fills ends, which has an element more than there are objects: by position, the position after the last object that
 * this one dominates. Takes a step for each object. Returns 0 if it was stopped.
 */
static int dominator_tree_find_ends(const dominator_tree *tree, uint32_t *ends, progress *going)
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

/* Returns the positions; the caller frees them. */
static uint32_t *dominator_tree_take_positions(dominator_tree *tree)
{
	uint32_t *positions = tree->positions;

	tree->positions = NULL;
	return positions;
}

/* Frees the tree. */
static void dominator_tree_destroy(dominator_tree *tree)
{
	size_t size;

	allocator_release(tree->allocator, tree->positions, dominator_tree_array_size(tree));
	allocator_release(tree->allocator, tree->dominators, dominator_tree_array_size(tree));
	if (objects_size(tree, &size))
		allocator_release(tree->allocator, tree->objects, size);
	memset(tree, 0, sizeof(*tree));
}

/*
 * Georgiadis, Tarjan, Werneck: "Finding dominators in practice", Journal of Graph Algorithms and Applications 10
 * (2006).
 */

/* Steps of semi_dominators_find(). */
static inline uint64_t semi_dominators_steps(const object_graph *graph)
{
	return 4 * (uint64_t)graph->object_count + 3 * (uint64_t)graph->reference_count;
}

/* Distances of prefetches, in elements of the array that is read in order. */
#define TARGETS_AHEAD 32
#define EDGES_AHEAD 16
#define VISITS_AHEAD 16

/* Predecessors whose paths are followed together, and how far: paths are compressed, so few are longer. */
#define PATHS_AHEAD 32
#define MAX_STEPS_AHEAD 64

/* Steps from ancestor to ancestor for each visit, on average of all before it, after which jumps are faster. */
#define STEPS_PER_VISIT 8

/*
 * All arrays are by visit. In a depth-first search, a reference to a later visit leads to a descendant, so its source
 * is a candidate for the semidominator as it is. Only references to earlier visits need a search for the minimum, and
 * only these are stored as predecessors: usually a small part. All references are visited in the order of addresses,
 * and predecessors are used in the order in which they are stored, so what they lead to can be prefetched. A search
 * follows about seven ancestors in a random graph; the paths of several predecessors are prefetched together.
 */

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
		uint32_t remaining = 0;

		for (uint32_t i = 0; i < count; i++) {
			uint32_t above = nodes[visits[i]].ancestor;

			__builtin_prefetch(&nodes[above], 1);
			visits[remaining] = above;
			remaining += above > limit;
		}
		count = remaining;
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

/*
 * Replaces the parent of each visit by the visit of its immediate dominator; 0 stands for all roots. Returns 0 if there
 * is no memory or it was stopped; the order can then only be destroyed.
 */
static int semi_dominators_find(visit_order *order, const object_graph *graph, progress *going)
{
	semi_state state;
	int is_found = init_state(&state, order, graph, going) && find_predecessors(&state, order, graph) &&
		       progress_begin(going, (uint64_t)graph->object_count + graph->reference_count) &&
		       find_semi_dominators(&state, order) && progress_begin(going, graph->object_count) &&
		       find_dominators(&state, order);

	release_state(&state);
	return is_found;
}

/* Distances of prefetches, in objects. */
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
static int fill_retained(dominators *found, const dominator_tree *tree, progress *going)
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
		is_found = fill_retained(found, tree, going) && progress_end(going);
	}
	allocator_release(graph->allocator, class_ends, class_ends_size);
	allocator_release(graph->allocator, ends, dominator_tree_array_size(tree));
	return is_found;
}

/* Arranges the objects. Returns 0 if there is no memory or it has to stop. */
static int make_tree(dominator_tree *tree, const object_graph *graph, progress *going)
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
	dominators created;
	int is_created;

	memset(&created, 0, sizeof(created));
	memset(&tree, 0, sizeof(tree));
	tree.allocator = graph->allocator;
	is_created = make_tree(&tree, graph, going) && find_retained(&created, graph, &tree, going);
	dominator_tree_destroy(&tree);
	if (is_created) {
		*found = created;
	} else {
		dominators_destroy(&created, graph);
		clear_classes(graph);
	}
	return is_created;
}

void dominators_destroy(dominators *found, const object_graph *graph)
{
	size_t count = graph->object_count;

	allocator_release(graph->allocator, found->dominators, (count + 1) * sizeof(*found->dominators));
	allocator_release(graph->allocator, found->retained, count * sizeof(*found->retained));
	memset(found, 0, sizeof(*found));
}
