/* SPDX-License-Identifier: MIT */
/* Sets of objects of a heap graph. */
#include "heap/graph_internal.h"

#include "base/caller_structs.h"

#include <mprof/heap.h>

struct mprof_heap_set {
	mprof_heap_graph *graph;
	uint64_t *bits; /**< A bit for each object. Bits after the last object are 0. */
	size_t words;
};

static uint32_t object_count(const mprof_heap_set *set)
{
	return set->graph->objects.object_count;
}

static int has_object(const mprof_heap_set *set, uint32_t object)
{
	return (set->bits[object / 64] >> object % 64 & 1) != 0;
}

static void add_object(mprof_heap_set *set, uint32_t object)
{
	set->bits[object / 64] |= UINT64_C(1) << object % 64;
}

mprof_status mprof_heap_set_create(mprof_heap_graph *graph, mprof_heap_set **set)
{
	const mprof_allocator *allocator;
	mprof_heap_set *created;

	if (set == NULL)
		return MPROF_ERR_ARGUMENT;
	*set = NULL;
	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!graph->is_read || graph->failed != MPROF_OK || graph->gathered_for == SNAPSHOT_NONE)
		return MPROF_ERR_STATE;
	allocator = &graph->budget.allocator;
	created = allocator_allocate_zeroed(allocator, sizeof(*created));
	if (created == NULL)
		return memory_budget_status(&graph->budget);
	created->graph = graph;
	created->words = (size_t)object_count(created) / 64 + 1;
	created->bits = allocator_allocate_zeroed(allocator, created->words * sizeof(*created->bits));
	if (created->bits == NULL) {
		allocator_release(allocator, created, sizeof(*created));
		return memory_budget_status(&graph->budget);
	}
	*set = created;
	return MPROF_OK;
}

void mprof_heap_set_destroy(mprof_heap_set *set)
{
	const mprof_allocator *allocator;

	if (set == NULL)
		return;
	allocator = &set->graph->budget.allocator;
	allocator_release(allocator, set->bits, set->words * sizeof(*set->bits));
	allocator_release(allocator, set, sizeof(*set));
}

mprof_status mprof_heap_set_add_all(mprof_heap_set *set)
{
	if (set == NULL)
		return MPROF_ERR_ARGUMENT;
	for (uint32_t i = 0; i < object_count(set); i++)
		add_object(set, i);
	return MPROF_OK;
}

mprof_status mprof_heap_set_add_object(mprof_heap_set *set, uint32_t object)
{
	if (set == NULL || object >= object_count(set))
		return MPROF_ERR_ARGUMENT;
	add_object(set, object);
	return MPROF_OK;
}

mprof_status mprof_heap_set_add_class(mprof_heap_set *set, size_t class_index)
{
	if (set == NULL || class_index >= set->graph->objects.class_count)
		return MPROF_ERR_ARGUMENT;
	for (uint32_t i = 0; i < object_count(set); i++) {
		if (set->graph->objects.classes[i] == class_index)
			add_object(set, i);
	}
	return MPROF_OK;
}

/* Whether both are sets of one graph. */
static int are_of_one_graph(const mprof_heap_set *set, const mprof_heap_set *others)
{
	return set != NULL && others != NULL && set->graph == others->graph;
}

/* Goes through all objects and references. */
static void begin_search(const mprof_heap_set *set, progress *going)
{
	const mprof_heap_graph *graph = set->graph;

	progress_init(going, graph->progress, graph->progress_user,
		      (uint64_t)graph->objects.object_count + graph->objects.reference_count);
	(void)progress_begin(going, going->total);
}

mprof_status mprof_heap_set_add_referencing(mprof_heap_set *set, const mprof_heap_set *others)
{
	const object_graph *graph;
	progress going;

	if (!are_of_one_graph(set, others) || set == others)
		return MPROF_ERR_ARGUMENT;
	graph = &set->graph->objects;
	begin_search(set, &going);
	for (uint32_t i = 0; i < graph->object_count && progress_step(&going); i++) {
		for (uint32_t j = graph->first[i]; j < graph->first[i + 1] && !has_object(set, i); j++) {
			if (!progress_step(&going))
				break;
			if (graph->targets[j] != OBJECT_NONE && has_object(others, graph->targets[j]))
				add_object(set, i);
		}
	}
	return progress_end(&going) ? MPROF_OK : MPROF_ERR_INTERRUPTED;
}

mprof_status mprof_heap_set_add_referenced(mprof_heap_set *set, const mprof_heap_set *others)
{
	const object_graph *graph;
	progress going;

	if (!are_of_one_graph(set, others) || set == others)
		return MPROF_ERR_ARGUMENT;
	graph = &set->graph->objects;
	begin_search(set, &going);
	for (uint32_t i = 0; i < graph->object_count && progress_step(&going); i++) {
		for (uint32_t j = graph->first[i]; has_object(others, i) && j < graph->first[i + 1]; j++) {
			if (!progress_step(&going))
				break;
			if (graph->targets[j] != OBJECT_NONE)
				add_object(set, graph->targets[j]);
		}
	}
	return progress_end(&going) ? MPROF_OK : MPROF_ERR_INTERRUPTED;
}

mprof_status mprof_heap_set_unite(mprof_heap_set *set, const mprof_heap_set *others)
{
	if (!are_of_one_graph(set, others))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = 0; i < set->words; i++)
		set->bits[i] |= others->bits[i];
	return MPROF_OK;
}

mprof_status mprof_heap_set_intersect(mprof_heap_set *set, const mprof_heap_set *others)
{
	if (!are_of_one_graph(set, others))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = 0; i < set->words; i++)
		set->bits[i] &= others->bits[i];
	return MPROF_OK;
}

mprof_status mprof_heap_set_subtract(mprof_heap_set *set, const mprof_heap_set *others)
{
	if (!are_of_one_graph(set, others))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = 0; i < set->words; i++)
		set->bits[i] &= ~others->bits[i];
	return MPROF_OK;
}

static size_t copy_objects(const mprof_heap_set *set, uint32_t first, uint32_t *objects, size_t capacity)
{
	size_t count = 0;

	for (uint32_t i = first; i < object_count(set) && count < capacity; i++) {
		if (i % 64 == 0 && set->bits[i / 64] == 0)
			i += 63;
		else if (has_object(set, i))
			objects[count++] = i;
	}
	return count;
}

mprof_status mprof_heap_set_get_objects(const mprof_heap_set *set, uint32_t first, uint32_t *objects, size_t capacity,
					size_t *count)
{
	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (set == NULL || (objects == NULL && capacity > 0))
		return MPROF_ERR_ARGUMENT;
	*count = copy_objects(set, first, objects, capacity);
	return MPROF_OK;
}

/* Sizes of a damaged log may be anything. */
static void add_bytes(uint64_t *sum, uint64_t bytes)
{
	*sum = *sum + bytes < bytes ? UINT64_MAX : *sum + bytes;
}

static int is_reachable(const mprof_heap_graph *graph, uint32_t object)
{
	if (graph->dominators.dominators != NULL)
		return graph->dominators.dominators[object] != DOMINATOR_UNREACHABLE;
	return graph->paths.references != NULL && graph->paths.references[object] != ROOT_PATHS_UNREACHABLE;
}

mprof_status mprof_heap_set_get_totals(const mprof_heap_set *set, mprof_heap_set_totals *totals)
{
	mprof_heap_set_totals copy;

	if (set == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&copy, 0, sizeof(copy));
	for (uint32_t i = 0; i < object_count(set); i++) {
		uint64_t size;

		if (!has_object(set, i))
			continue;
		size = object_graph_size(&set->graph->objects, i);
		copy.objects++;
		add_bytes(&copy.bytes, size);
		if (is_reachable(set->graph, i)) {
			copy.reachable_objects++;
			add_bytes(&copy.reachable_bytes, size);
		}
	}
	return struct_copy_out(totals, &copy, sizeof(copy));
}

mprof_status mprof_heap_set_get_retained(mprof_heap_set *set, uint64_t *bytes)
{
	const mprof_allocator *allocator;
	mprof_heap_set_totals totals = {.struct_size = sizeof(totals)};
	uint32_t *objects;
	mprof_status status;
	size_t size;

	if (bytes == NULL)
		return MPROF_ERR_ARGUMENT;
	*bytes = 0;
	if (set == NULL)
		return MPROF_ERR_ARGUMENT;
	allocator = &set->graph->budget.allocator;
	mprof_heap_set_get_totals(set, &totals);
	/* The list of an empty set has one unused element, since a size must not be 0. */
	size = ((size_t)totals.objects + 1) * sizeof(*objects);
	objects = allocator_allocate(allocator, size);
	if (objects == NULL)
		return memory_budget_status(&set->graph->budget);
	status = mprof_heap_graph_get_retained(set->graph, objects,
					       copy_objects(set, 0, objects, (size_t)totals.objects), bytes);
	allocator_release(allocator, objects, size);
	return status;
}
