/* SPDX-License-Identifier: MIT */
/* Finds what refers to an object, and paths from roots. */
#include "heap/root_paths.h"

/* Distances of prefetches in the queue: each loads what the previous one has fetched. */
#define OBJECTS_AHEAD 32
#define REFERENCES_AHEAD 16
#define TARGETS_AHEAD 8

/* Targets of an object that are prefetched; most objects have fewer. */
#define PREFETCHED_TARGETS 8

/*
 * Finds shortest paths from roots by a breadth-first search. The queue shows which objects come next, so what they and
 * their references lead to is prefetched.
 */

typedef struct path_search {
	root_paths *paths;
	const object_graph *graph;
	uint32_t *queue;
	uint32_t count; /**< Objects that were put into the queue. */
	progress *going;
} path_search;

static void reach(path_search *search, uint32_t object, uint32_t reference)
{
	if (search->paths->references[object] != ROOT_PATHS_UNREACHABLE)
		return;
	search->paths->references[object] = reference;
	search->queue[search->count++] = object;
}

static void reach_roots(path_search *search)
{
	for (uint32_t rank = 0; rank < ROOT_RANKS; rank++) {
		for (size_t i = 0; i < search->graph->root_count; i++) {
			if (root_rank(search->graph->roots[i].kind) == rank)
				reach(search, search->graph->roots[i].object, ROOT_PATHS_ROOT);
		}
	}
}

static void prefetch_queued(const path_search *search, uint32_t next)
{
	const object_graph *graph = search->graph;
	const uint32_t *queue = &search->queue[next];
	uint32_t left = search->count - next;

	if (left > OBJECTS_AHEAD)
		__builtin_prefetch(&graph->first[queue[OBJECTS_AHEAD]]);
	if (left > REFERENCES_AHEAD)
		__builtin_prefetch(&graph->targets[graph->first[queue[REFERENCES_AHEAD]]]);
	if (left > TARGETS_AHEAD) {
		uint32_t first = graph->first[queue[TARGETS_AHEAD]];
		uint32_t end = graph->first[queue[TARGETS_AHEAD] + 1];

		for (uint32_t i = first; i < end && i - first < PREFETCHED_TARGETS; i++) {
			if (graph->targets[i] != OBJECT_NONE)
				__builtin_prefetch(&search->paths->references[graph->targets[i]], 1);
		}
	}
}

static void reach_targets(path_search *search, uint32_t object)
{
	for (uint32_t i = search->graph->first[object]; i < search->graph->first[object + 1]; i++) {
		if (!progress_step(search->going))
			return;
		if (search->graph->targets[i] != OBJECT_NONE)
			reach(search, search->graph->targets[i], i);
	}
}

static void reach_all(path_search *search)
{
	reach_roots(search);
	for (uint32_t i = 0; i < search->count && progress_step(search->going); i++) {
		prefetch_queued(search, i);
		reach_targets(search, search->queue[i]);
	}
}

/* Objects are visited in the order of addresses; sizes of a damaged log may be anything. */
static void sum_reachable(root_paths *paths, const object_graph *graph, progress *going)
{
	for (uint32_t object = 0; object < graph->object_count && progress_step(going); object++) {
		uint64_t size;

		if (paths->references[object] == ROOT_PATHS_UNREACHABLE)
			continue;
		size = object_graph_size(graph, object);
		paths->reachable_bytes =
			paths->reachable_bytes + size < size ? UINT64_MAX : paths->reachable_bytes + size;
	}
}

uint64_t root_paths_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->object_count + graph->reference_count;
}

int root_paths_build(root_paths *paths, const object_graph *graph, progress *going)
{
	size_t size = ((size_t)graph->object_count + 1) * sizeof(uint32_t);
	root_paths made = {allocator_allocate(graph->allocator, size), 0, 0};
	path_search search = {&made, graph, allocator_allocate(graph->allocator, size), 0, going};
	int is_made = made.references != NULL && search.queue != NULL && progress_begin(going, root_paths_steps(graph));

	if (is_made) {
		for (uint32_t object = 0; object < graph->object_count; object++)
			made.references[object] = ROOT_PATHS_UNREACHABLE;
		reach_all(&search);
		made.reachable_objects = search.count;
		sum_reachable(&made, graph, going);
		is_made = progress_end(going);
	}
	allocator_release(graph->allocator, search.queue, size);
	if (is_made)
		*paths = made;
	else
		allocator_release(graph->allocator, made.references, size);
	return is_made;
}

void root_paths_destroy(root_paths *paths, const object_graph *graph)
{
	allocator_release(graph->allocator, paths->references, ((size_t)graph->object_count + 1) * sizeof(uint32_t));
	memset(paths, 0, sizeof(*paths));
}

static size_t size_of_first(const object_graph *graph)
{
	return ((size_t)graph->object_count + 1) * sizeof(uint32_t);
}

uint64_t referrers_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->reference_count + graph->object_count;
}

/* Counts the references to each object, up to and including its own. Returns 0 if it has to stop. */
static int count_referrers(referrers *made, const object_graph *graph, progress *going)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->reference_count && progress_step(going); i++)
		made->first[graph->targets[i] != OBJECT_NONE ? graph->targets[i] : graph->object_count]++;
	/* References to missing objects were counted in the last element, which is the end of those before. */
	for (uint32_t i = 0; i < graph->object_count && progress_step(going); i++) {
		count += made->first[i];
		made->first[i] = count;
	}
	made->first[graph->object_count] = count;
	return !going->is_stopped;
}

/* Returns 0 if there is no memory or it has to stop. */
static int fill_referrers(referrers *made, const object_graph *graph, progress *going)
{
	const uint32_t count = made->first[graph->object_count];

	if (count != 0) {
		made->references = allocator_allocate(graph->allocator, count * sizeof(*made->references));
		if (made->references == NULL)
			return 0;
		made->count = count;
	}
	/* From the last reference on, each is put before those of the same target. */
	for (uint32_t i = graph->reference_count; i > 0 && progress_step(going); i--) {
		if (graph->targets[i - 1] != OBJECT_NONE)
			made->references[--made->first[graph->targets[i - 1]]] = i - 1;
	}
	return progress_end(going);
}

int referrers_build(referrers *found, const object_graph *graph, progress *going)
{
	referrers made = {allocator_allocate_zeroed(graph->allocator, size_of_first(graph)), NULL, 0};

	if (made.first == NULL || !progress_begin(going, referrers_steps(graph)) ||
	    !count_referrers(&made, graph, going) || !fill_referrers(&made, graph, going)) {
		referrers_destroy(&made, graph);
		return 0;
	}
	*found = made;
	return 1;
}

void referrers_destroy(referrers *found, const object_graph *graph)
{
	allocator_release(graph->allocator, found->first, size_of_first(graph));
	allocator_release(graph->allocator, found->references, found->count * sizeof(*found->references));
	memset(found, 0, sizeof(*found));
}
