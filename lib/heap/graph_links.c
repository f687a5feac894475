/* SPDX-License-Identifier: MIT */
/* Gets references, referrers, dominated objects and paths of a heap graph. */
#include "heap/graph_internal.h"

#include "base/elements.h"
#include "base/options.h"

/* Whether an array for references was passed correctly. Sets the count to 0. */
static int is_reference_array(const mprof_heap_reference *references, size_t reference_size, size_t capacity,
			      size_t *count)
{
	if (count == NULL)
		return 0;
	*count = 0;
	return (references != NULL || capacity == 0) && reference_size >= SIZE_UP_TO(mprof_heap_reference, offset);
}

mprof_status mprof_heap_graph_get_references(const mprof_heap_graph *graph, uint32_t object, uint32_t first,
					     mprof_heap_reference *references, size_t reference_size, size_t capacity,
					     size_t *count)
{
	const object_graph *objects;
	uint32_t start;
	size_t available;

	if (!is_reference_array(references, reference_size, capacity, count) || graph == NULL ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	objects = &graph->objects;
	start = objects->first[object];
	if (first > objects->first[object + 1] - start)
		return MPROF_ERR_ARGUMENT;
	available = objects->first[object + 1] - start - first;
	for (*count = 0; *count < available && *count < capacity; (*count)++) {
		uint32_t reference = start + first + (uint32_t)*count;
		mprof_heap_reference own = {objects->targets[reference], 0, 0};

		own.has_offset = (uint32_t)object_graph_offset(objects, object, reference, &own.offset);
		element_put(references, reference_size, *count, &own, sizeof(own));
	}
	return MPROF_OK;
}

mprof_status mprof_heap_graph_get_referrers(const mprof_heap_graph *graph, uint32_t object, uint32_t first,
					    mprof_heap_reference *references, size_t reference_size, size_t capacity,
					    size_t *count)
{
	const uint32_t *list;
	size_t available;

	if (!is_reference_array(references, reference_size, capacity, count) || graph == NULL ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	if (graph->referrers.first == NULL)
		return MPROF_ERR_STATE;
	available = graph->referrers.first[object + 1] - graph->referrers.first[object];
	if (first > available)
		return MPROF_ERR_ARGUMENT;
	available -= first;
	/* Without any reference in the graph there is no array. */
	if (available == 0) {
		*count = 0;
		return MPROF_OK;
	}
	list = graph->referrers.references + graph->referrers.first[object] + first;
	for (*count = 0; *count < available && *count < capacity; (*count)++) {
		mprof_heap_reference own = {object_graph_owner(&graph->objects, list[*count]), 0, 0};

		own.has_offset = (uint32_t)object_graph_offset(&graph->objects, own.object, list[*count], &own.offset);
		element_put(references, reference_size, *count, &own, sizeof(own));
	}
	return MPROF_OK;
}

/* Whether an object comes after another one in the order of retained sizes. */
static int is_smaller(const uint64_t *retained, uint32_t object, uint32_t other)
{
	return retained[object] != retained[other] ? retained[object] < retained[other] : object > other;
}

/* Moves the first element of a heap down to where it belongs; the first element of a heap is the smallest. */
static void sift_down(const uint64_t *retained, uint32_t *heap, size_t count)
{
	uint32_t moved = heap[0];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < count && is_smaller(retained, heap[child + 1], heap[child]))
			child++;
		if (child >= count || !is_smaller(retained, heap[child], moved))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

static void sift_up(const uint64_t *retained, uint32_t *heap, size_t i)
{
	uint32_t moved = heap[i];

	while (i > 0 && is_smaller(retained, moved, heap[(i - 1) / 2])) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = moved;
}

mprof_status mprof_heap_graph_get_dominated(const mprof_heap_graph *graph, uint32_t dominator, uint32_t *objects,
					    size_t capacity, size_t *count)
{
	const uint64_t *retained;
	size_t kept = 0;

	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (graph == NULL || (objects == NULL && capacity > 0) ||
	    (dominator >= graph->objects.object_count && dominator != MPROF_HEAP_NO_OBJECT))
		return MPROF_ERR_ARGUMENT;
	if (graph->dominators.dominators == NULL)
		return MPROF_ERR_STATE;
	retained = graph->dominators.retained;
	for (uint32_t i = 0; i < graph->objects.object_count; i++) {
		if (graph->dominators.dominators[i] != dominator)
			continue;
		++*count;
		if (kept < capacity) {
			objects[kept] = i;
			sift_up(retained, objects, kept++);
		} else if (kept > 0 && is_smaller(retained, objects[0], i)) {
			objects[0] = i;
			sift_down(retained, objects, kept);
		}
	}
	/* The smallest of the rest goes to its end. */
	while (kept > 1) {
		uint32_t smallest = objects[0];

		objects[0] = objects[--kept];
		objects[kept] = smallest;
		sift_down(retained, objects, kept);
	}
	return MPROF_OK;
}

static size_t path_length(const mprof_heap_graph *graph, uint32_t object)
{
	size_t length = 0;
	uint32_t reference;

	if (graph->paths.references[object] == ROOT_PATHS_UNREACHABLE)
		return 0;
	for (;;) {
		length++;
		reference = graph->paths.references[object];
		if (reference == ROOT_PATHS_ROOT)
			return length;
		object = object_graph_owner(&graph->objects, reference);
	}
}

/* Stores the steps of a path, from the object to the root, and returns the object of the root. */
static uint32_t fill_steps(const mprof_heap_graph *graph, uint32_t object, mprof_heap_step *steps, size_t step_size,
			   size_t capacity, size_t length)
{
	const uint32_t *dominators = graph->dominators.dominators;
	uint32_t dominator = dominators != NULL ? object : DOMINATOR_ROOTS;
	uint32_t reference = ROOT_PATHS_ROOT;

	/* All dominators of the object are on the path, in the same order. */
	for (size_t i = length; i > 0; i--) {
		mprof_heap_step own = {object, object == dominator, 0, 0, 0};

		if (own.is_dominator)
			dominator = dominators[object];
		if (reference != ROOT_PATHS_ROOT)
			own.has_offset = (uint32_t)object_graph_offset(&graph->objects, object, reference, &own.offset);
		if (i <= capacity)
			element_put(steps, step_size, i - 1, &own, sizeof(own));
		reference = graph->paths.references[object];
		if (reference != ROOT_PATHS_ROOT)
			object = object_graph_owner(&graph->objects, reference);
	}
	return object;
}

mprof_status mprof_heap_graph_get_path(const mprof_heap_graph *graph, uint32_t object, mprof_heap_root *root,
				       mprof_heap_step *steps, size_t step_size, size_t capacity, size_t *count)
{
	const object_root *found;
	mprof_heap_root own;

	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (graph == NULL || root == NULL || root->struct_size < sizeof(root->struct_size) ||
	    (steps == NULL && capacity > 0) || step_size < SIZE_UP_TO(mprof_heap_step, offset) ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	if (graph->paths.references == NULL)
		return MPROF_ERR_STATE;
	*count = path_length(graph, object);
	if (*count == 0)
		return MPROF_OK;
	memset(&own, 0, sizeof(own));
	own.object = fill_steps(graph, object, steps, step_size, capacity, *count);
	found = object_graph_root(&graph->objects, own.object);
	own.kind = found != NULL ? found->kind : MPROF_ROOT_OTHER;
	own.area = found != NULL ? found->area : 0;
	return struct_copy_out(root, &own, sizeof(own));
}

mprof_status mprof_heap_graph_get_parent(const mprof_heap_graph *graph, uint32_t object,
					 mprof_heap_reference *reference, size_t reference_size)
{
	mprof_heap_reference own = {MPROF_HEAP_NO_OBJECT, 0, 0};
	uint32_t last;

	if (graph == NULL || reference == NULL || reference_size < SIZE_UP_TO(mprof_heap_reference, offset) ||
	    object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	if (graph->paths.references == NULL)
		return MPROF_ERR_STATE;
	last = graph->paths.references[object];
	if (last != ROOT_PATHS_ROOT && last != ROOT_PATHS_UNREACHABLE) {
		own.object = object_graph_owner(&graph->objects, last);
		own.has_offset = (uint32_t)object_graph_offset(&graph->objects, own.object, last, &own.offset);
	}
	element_put(reference, reference_size, 0, &own, sizeof(own));
	return MPROF_OK;
}
