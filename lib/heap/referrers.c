/* SPDX-License-Identifier: MIT */
/* Sorts references by their target. */
#include "heap/referrers.h"

static size_t size_of_first(const object_graph *graph)
{
	return ((size_t)graph->object_count + 1) * sizeof(uint32_t);
}

int referrers_build(referrers *found, const object_graph *graph)
{
	referrers made = {allocator_allocate_zeroed(graph->allocator, size_of_first(graph)), NULL, 0};

	if (made.first == NULL)
		return 0;
	for (uint32_t i = 0; i < graph->reference_count; i++)
		made.first[graph->targets[i] != OBJECT_NONE ? graph->targets[i] : graph->object_count]++;
	/* References to missing objects were counted in the last element, which is the end of those before. */
	for (uint32_t i = 0; i < graph->object_count; i++) {
		made.count += made.first[i];
		made.first[i] = made.count;
	}
	made.first[graph->object_count] = made.count;
	if (made.count != 0) {
		made.references = allocator_allocate(graph->allocator, made.count * sizeof(*made.references));
		if (made.references == NULL) {
			referrers_destroy(&made, graph);
			return 0;
		}
	}
	/* From the last reference on, each is put before those of the same target. */
	for (uint32_t i = graph->reference_count; i > 0; i--) {
		if (graph->targets[i - 1] != OBJECT_NONE)
			made.references[--made.first[graph->targets[i - 1]]] = i - 1;
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
