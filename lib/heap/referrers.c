/* SPDX-License-Identifier: MIT */
/* Sorts references by their target. */
#include "heap/referrers.h"

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
