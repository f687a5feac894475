/* SPDX-License-Identifier: MIT */
/* Gets totals, snapshots, classes, objects and roots of a heap graph. */
#include "heap/graph_internal.h"

#include "base/options.h"

static void fill_counts(mprof_heap_graph_totals *own, const mprof_heap_graph *graph)
{
	const object_graph *objects = &graph->objects;

	own->has_roots = objects->root_count != 0;
	own->has_offsets = objects->steps != NULL;
	own->objects = objects->object_count;
	own->bytes = objects->bytes;
	own->references = objects->reference_count;
	own->classes = objects->class_count;
	own->roots = objects->root_count;
	for (size_t i = 0; i < objects->root_count; i++)
		own->roots_by_kind[objects->roots[i].kind]++;
	own->missing_references = objects->missing_references;
	own->missing_roots = objects->missing_roots;
	own->repeated_objects = objects->repeated_objects;
	own->has_dominators = graph->dominators.dominators != NULL;
	own->has_paths = graph->paths.references != NULL;
	own->has_referrers = graph->referrers.first != NULL;
	own->reachable_objects =
		own->has_dominators ? graph->dominators.reachable_objects : graph->paths.reachable_objects;
	own->reachable_bytes = own->has_dominators ? graph->dominators.reachable_bytes : graph->paths.reachable_bytes;
}

mprof_status mprof_heap_graph_get_totals(const mprof_heap_graph *graph, mprof_heap_graph_totals *totals)
{
	mprof_heap_graph_totals own;

	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	if (graph->is_read && graph->gathered_for != SNAPSHOT_NONE) {
		const snapshot_record *record = &graph->snapshots.records[graph->gathered_for];

		own.snapshot = (uint32_t)graph->gathered_for + 1;
		own.number = record->number;
		own.time_ns = record->time_ns;
		own.incomplete = record->is_incomplete;
		own.orphan_references = record->orphan_references;
		fill_counts(&own, graph);
	}
	own.limited = graph->failed == MPROF_ERR_LIMIT;
	own.damaged_blocks = graph->damaged_blocks;
	own.used_memory = graph->budget.used;
	return struct_copy_out(totals, &own, sizeof(own));
}

size_t mprof_heap_graph_get_snapshot_count(const mprof_heap_graph *graph)
{
	return graph != NULL ? graph->snapshots.count : 0;
}

mprof_status mprof_heap_graph_get_snapshot(const mprof_heap_graph *graph, size_t index, mprof_heap_snapshot *snapshot)
{
	const snapshot_record *record;
	mprof_heap_snapshot own;

	if (graph == NULL || index >= graph->snapshots.count)
		return MPROF_ERR_ARGUMENT;
	record = &graph->snapshots.records[index];
	memset(&own, 0, sizeof(own));
	own.number = record->number;
	own.incomplete = record->is_incomplete || !record->is_ended;
	own.time_ns = record->time_ns;
	own.objects = record->objects;
	own.bytes = record->bytes;
	own.references = record->references;
	own.roots = record->roots;
	return struct_copy_out(snapshot, &own, sizeof(own));
}

size_t mprof_heap_graph_get_class_count(const mprof_heap_graph *graph)
{
	return graph != NULL ? graph->objects.class_count : 0;
}

mprof_status mprof_heap_graph_get_class(const mprof_heap_graph *graph, size_t index, mprof_heap_class *stats)
{
	const object_class *record;
	mprof_heap_class own;

	if (graph == NULL || index >= graph->objects.class_count)
		return MPROF_ERR_ARGUMENT;
	record = &graph->objects.class_table[index];
	memset(&own, 0, sizeof(own));
	own.class_id = record->class_id;
	own.objects = record->objects;
	own.bytes = record->bytes;
	own.reachable_objects = record->reachable_objects;
	own.reachable_bytes = record->reachable_bytes;
	own.retained_bytes = record->retained_bytes;
	return struct_copy_out(stats, &own, sizeof(own));
}

static void fill_analysis(mprof_heap_object *own, const mprof_heap_graph *graph, uint32_t object)
{
	own->dominator = MPROF_HEAP_NO_OBJECT;
	if (graph->paths.references != NULL)
		own->is_reachable = graph->paths.references[object] != ROOT_PATHS_UNREACHABLE;
	if (graph->dominators.dominators != NULL) {
		own->is_reachable = graph->dominators.dominators[object] != DOMINATOR_UNREACHABLE;
		own->retained_bytes = graph->dominators.retained[object];
		if (own->is_reachable)
			own->dominator = graph->dominators.dominators[object];
	}
	if (graph->referrers.first != NULL)
		own->referrers = graph->referrers.first[object + 1] - graph->referrers.first[object];
}

mprof_status mprof_heap_graph_get_object(const mprof_heap_graph *graph, uint32_t object, mprof_heap_object *stats)
{
	const object_graph *objects;
	mprof_heap_object own;

	if (graph == NULL || object >= graph->objects.object_count)
		return MPROF_ERR_ARGUMENT;
	objects = &graph->objects;
	memset(&own, 0, sizeof(own));
	own.address = address_set_get(&objects->addresses, object);
	own.bytes = object_graph_size(objects, object);
	own.class_index = objects->classes[object];
	own.class_id = objects->class_table[own.class_index].class_id;
	own.is_root = object_graph_root(objects, object) != NULL;
	own.references = objects->first[object + 1] - objects->first[object];
	fill_analysis(&own, graph, object);
	return struct_copy_out(stats, &own, sizeof(own));
}

mprof_status mprof_heap_graph_lookup_object(const mprof_heap_graph *graph, uint64_t address, uint32_t *object)
{
	if (object == NULL)
		return MPROF_ERR_ARGUMENT;
	*object = MPROF_HEAP_NO_OBJECT;
	if (graph == NULL)
		return MPROF_ERR_ARGUMENT;
	*object = address_set_find(&graph->objects.addresses, address);
	return *object != MPROF_HEAP_NO_OBJECT ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

mprof_status mprof_heap_graph_get_root(const mprof_heap_graph *graph, size_t index, mprof_heap_root *root)
{
	mprof_heap_root own;

	if (graph == NULL || index >= graph->objects.root_count)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	own.object = graph->objects.roots[index].object;
	own.kind = graph->objects.roots[index].kind;
	own.area = graph->objects.roots[index].area;
	return struct_copy_out(root, &own, sizeof(own));
}
