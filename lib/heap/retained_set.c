/* SPDX-License-Identifier: MIT */
/* Searches the heap without a set of objects. */
#include "heap/retained_set.h"

/* A search from the roots that does not visit the objects of a set. */
typedef struct set_search {
	const object_graph *graph;
	uint64_t *visited; /**< A bit for each object; those of the set count as visited. */
	uint32_t *queue;
	size_t count; /**< Objects that were put into the queue. */
	progress *going;
} set_search;

/* Marks an object as visited. Returns 0 if it was. */
static int mark_visited(set_search *search, uint32_t object)
{
	uint64_t bit = UINT64_C(1) << object % 64;

	if ((search->visited[object / 64] & bit) != 0)
		return 0;
	search->visited[object / 64] |= bit;
	return 1;
}

static void reach(set_search *search, uint32_t object)
{
	if (mark_visited(search, object))
		search->queue[search->count++] = object;
}

static void visit_all(set_search *search)
{
	const object_graph *graph = search->graph;

	for (size_t i = 0; i < graph->root_count; i++)
		reach(search, graph->roots[i].object);
	for (size_t i = 0; i < search->count && progress_step(search->going); i++) {
		uint32_t object = search->queue[i];

		for (uint32_t j = graph->first[object]; j < graph->first[object + 1]; j++) {
			if (!progress_step(search->going))
				return;
			if (graph->targets[j] != OBJECT_NONE)
				reach(search, graph->targets[j]);
		}
	}
}

/* Adds up the objects that the search did not find, although roots reach them. */
static uint64_t sum_dead(set_search *search, const dominators *found, const uint32_t *objects, size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		search->visited[objects[i] / 64] &= ~(UINT64_C(1) << objects[i] % 64);
	for (uint32_t object = 0; object < search->graph->object_count && progress_step(search->going); object++) {
		uint64_t size = object_graph_size(search->graph, object);

		if (found->dominators[object] != DOMINATOR_UNREACHABLE && mark_visited(search, object))
			bytes = bytes + size < size ? UINT64_MAX : bytes + size;
	}
	return bytes;
}

uint64_t retained_set_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->object_count + graph->reference_count;
}

int retained_set_sum(const object_graph *graph, const dominators *found, const uint32_t *objects, size_t count,
		     progress *going, uint64_t *bytes)
{
	size_t visited_size = ((size_t)graph->object_count / 64 + 1) * sizeof(uint64_t);
	size_t queue_size = ((size_t)graph->object_count + 1) * sizeof(uint32_t);
	set_search search = {graph, allocator_allocate_zeroed(graph->allocator, visited_size),
			     allocator_allocate(graph->allocator, queue_size), 0, going};
	int is_made =
		search.visited != NULL && search.queue != NULL && progress_begin(going, retained_set_steps(graph));

	*bytes = 0;
	if (is_made) {
		for (size_t i = 0; i < count; i++)
			(void)mark_visited(&search, objects[i]);
		visit_all(&search);
		*bytes = sum_dead(&search, found, objects, count);
		is_made = progress_end(going);
		if (!is_made)
			*bytes = 0;
	}
	allocator_release(graph->allocator, search.visited, visited_size);
	allocator_release(graph->allocator, search.queue, queue_size);
	return is_made;
}
