/* SPDX-License-Identifier: MIT */
/* Finds shortest paths from roots by a breadth-first search. */
#include "heap/root_paths.h"

typedef struct path_search {
	root_paths *paths;
	const object_graph *graph;
	uint32_t *queue;
	uint32_t count; /**< Objects that were put into the queue. */
} path_search;

static void reach(path_search *search, uint32_t object, uint32_t reference)
{
	uint64_t *bytes = &search->paths->reachable_bytes;
	uint64_t size = object_graph_size(search->graph, object);

	if (search->paths->references[object] != ROOT_PATHS_UNREACHABLE)
		return;
	search->paths->references[object] = reference;
	search->queue[search->count++] = object;
	*bytes = *bytes + size < size ? UINT64_MAX : *bytes + size;
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

static void reach_targets(path_search *search, uint32_t object)
{
	for (uint32_t i = search->graph->first[object]; i < search->graph->first[object + 1]; i++) {
		if (search->graph->targets[i] != OBJECT_NONE)
			reach(search, search->graph->targets[i], i);
	}
}

int root_paths_build(root_paths *paths, const object_graph *graph)
{
	size_t size = ((size_t)graph->object_count + 1) * sizeof(uint32_t);
	root_paths made = {allocator_allocate(graph->allocator, size), 0, 0};
	path_search search = {&made, graph, allocator_allocate(graph->allocator, size), 0};

	if (made.references == NULL || search.queue == NULL) {
		allocator_release(graph->allocator, made.references, size);
		allocator_release(graph->allocator, search.queue, size);
		return 0;
	}
	for (uint32_t object = 0; object < graph->object_count; object++)
		made.references[object] = ROOT_PATHS_UNREACHABLE;
	reach_roots(&search);
	for (uint32_t i = 0; i < search.count; i++)
		reach_targets(&search, search.queue[i]);
	made.reachable_objects = search.count;
	allocator_release(graph->allocator, search.queue, size);
	*paths = made;
	return 1;
}

void root_paths_destroy(root_paths *paths, const object_graph *graph)
{
	allocator_release(graph->allocator, paths->references, ((size_t)graph->object_count + 1) * sizeof(uint32_t));
	memset(paths, 0, sizeof(*paths));
}
