/* SPDX-License-Identifier: MIT */
/* Creates and destroys heap graphs, and computes what is computed on request. */
#include "heap/graph_internal.h"

#include "base/options.h"
#include "heap/retained_set.h"

#define DEFAULT_MAX_MEMORY (UINT64_C(4) << 30)

void mprof_heap_graph_options_init(mprof_heap_graph_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_heap_graph_create(const mprof_heap_graph_options *options, mprof_heap_graph **graph)
{
	mprof_heap_graph_options own;
	mprof_allocator allocator;
	mprof_heap_graph *made;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	*graph = NULL;
	if (struct_copy_in(&own, options, sizeof(own)) != MPROF_OK || own.list_only > 1 ||
	    (own.list_only && own.snapshot != 0) || !allocator_init(&allocator, own.allocator))
		return MPROF_ERR_ARGUMENT;
	made = allocator_allocate_zeroed(&allocator, sizeof(*made));
	if (made == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&made->budget, &allocator, own.max_memory != 0 ? own.max_memory : DEFAULT_MAX_MEMORY);
	made->wanted = own.snapshot;
	made->is_list_only = own.list_only != 0;
	made->gathered_for = SNAPSHOT_NONE;
	made->progress = own.progress;
	made->progress_user = own.progress_user;
	snapshot_list_init(&made->snapshots, &made->budget);
	gathered_heap_init(&made->gathered, &made->budget);
	object_graph_init(&made->linked, &made->budget.allocator);
	object_graph_init(&made->objects, &made->budget.allocator);
	*graph = made;
	return MPROF_OK;
}

void mprof_heap_graph_destroy(mprof_heap_graph *graph)
{
	mprof_allocator allocator;

	if (graph == NULL)
		return;
	dominators_destroy(&graph->dominators, &graph->objects);
	root_paths_destroy(&graph->paths, &graph->objects);
	referrers_destroy(&graph->referrers, &graph->objects);
	object_graph_destroy(&graph->linked);
	object_graph_destroy(&graph->objects);
	gathered_heap_destroy(&graph->gathered);
	snapshot_list_destroy(&graph->snapshots);
	allocator = graph->budget.source;
	allocator_release(&allocator, graph, sizeof(*graph));
}

static int has_snapshot(const mprof_heap_graph *graph)
{
	return graph->is_read && graph->failed == MPROF_OK && graph->gathered_for != SNAPSHOT_NONE;
}

/* The result of a computation that starts from roots and is not done yet. */
static mprof_status check_roots(const mprof_heap_graph *graph)
{
	if (!has_snapshot(graph))
		return MPROF_ERR_STATE;
	return graph->objects.root_count != 0 ? MPROF_OK : MPROF_ERR_UNSUPPORTED;
}

static void begin_computation(const mprof_heap_graph *graph, progress *going, uint64_t steps)
{
	progress_init(going, graph->progress, graph->progress_user, steps);
}

static mprof_status end_computation(const mprof_heap_graph *graph, const progress *going, int is_done)
{
	return is_done ? MPROF_OK : progress_status(going, memory_budget_status(&graph->budget));
}

mprof_status mprof_heap_graph_build_dominators(mprof_heap_graph *graph)
{
	mprof_status status;
	progress going;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	status = check_roots(graph);
	if (status != MPROF_OK || graph->dominators.dominators != NULL)
		return status;
	begin_computation(graph, &going, dominators_steps(&graph->objects));
	return end_computation(graph, &going, dominators_build(&graph->dominators, &graph->objects, &going));
}

mprof_status mprof_heap_graph_build_paths(mprof_heap_graph *graph)
{
	mprof_status status;
	progress going;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	status = check_roots(graph);
	if (status != MPROF_OK || graph->paths.references != NULL)
		return status;
	begin_computation(graph, &going, root_paths_steps(&graph->objects));
	return end_computation(graph, &going, root_paths_build(&graph->paths, &graph->objects, &going));
}

mprof_status mprof_heap_graph_build_referrers(mprof_heap_graph *graph)
{
	progress going;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!has_snapshot(graph))
		return MPROF_ERR_STATE;
	if (graph->referrers.first != NULL)
		return MPROF_OK;
	begin_computation(graph, &going, referrers_steps(&graph->objects));
	return end_computation(graph, &going, referrers_build(&graph->referrers, &graph->objects, &going));
}

mprof_status mprof_heap_graph_get_retained(mprof_heap_graph *graph, const uint32_t *objects, size_t count,
					   uint64_t *bytes)
{
	progress going;

	if (bytes == NULL)
		return MPROF_ERR_ARGUMENT;
	*bytes = 0;
	if (graph == NULL || (objects == NULL && count > 0))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = 0; i < count; i++) {
		if (objects[i] >= graph->objects.object_count)
			return MPROF_ERR_ARGUMENT;
	}
	if (graph->dominators.dominators == NULL)
		return MPROF_ERR_STATE;
	begin_computation(graph, &going, retained_set_steps(&graph->objects));
	return end_computation(graph, &going,
			       retained_set_sum(&graph->objects, &graph->dominators, objects, count, &going, bytes));
}
