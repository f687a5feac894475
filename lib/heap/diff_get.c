/* SPDX-License-Identifier: MIT */
/* Gets totals, snapshots, classes and path shapes of a comparison of heap snapshots. */
#include "heap/diff_internal.h"

#include "base/options.h"

mprof_status mprof_heap_diff_get_totals(const mprof_heap_diff *diff, mprof_heap_diff_totals *totals)
{
	mprof_heap_diff_totals own;

	if (diff == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	own.snapshots = diff->count;
	own.classes = diff->class_names.count;
	own.shapes = diff->shapes.count;
	own.used_memory = diff->budget.used;
	return struct_copy_out(totals, &own, sizeof(own));
}

mprof_status mprof_heap_diff_get_snapshot(const mprof_heap_diff *diff, size_t index, mprof_heap_diff_snapshot *snapshot)
{
	if (diff == NULL || index >= diff->count)
		return MPROF_ERR_ARGUMENT;
	return struct_copy_out(snapshot, &diff->snapshots[index].facts, sizeof(*snapshot));
}

mprof_status mprof_heap_diff_get_class(const mprof_heap_diff *diff, size_t index, size_t snapshot,
				       mprof_heap_diff_class *stats)
{
	mprof_heap_diff_class own;

	if (diff == NULL || snapshot >= diff->count || index >= diff->class_names.count)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	own.name = diff->class_names.names[index].text;
	own.has_name = diff->class_names.names[index].scope == 0;
	if (index < diff->snapshots[snapshot].class_count) {
		const diff_class *found = &diff->snapshots[snapshot].classes[index];

		own.objects = found->objects;
		own.bytes = found->bytes;
		own.reachable_objects = found->reachable_objects;
		own.reachable_bytes = found->reachable_bytes;
		own.retained_bytes = found->retained_bytes;
	}
	return struct_copy_out(stats, &own, sizeof(own));
}

mprof_status mprof_heap_diff_get_shape(const mprof_heap_diff *diff, size_t index, size_t snapshot,
				       mprof_heap_shape *shape)
{
	const path_shape *found;
	mprof_heap_shape own;

	if (diff == NULL || snapshot >= diff->count || index >= diff->shapes.count)
		return MPROF_ERR_ARGUMENT;
	found = &diff->shapes.shapes[index];
	memset(&own, 0, sizeof(own));
	own.parent = found->parent;
	own.class_index = found->class_index;
	own.root_kind = found->root_kind;
	own.depth = found->depth;
	own.is_recursive = found->is_recursive;
	own.class_name = diff->class_names.names[found->class_index].text;
	own.name = diff->names.names[found->name].text;
	if (index < diff->snapshots[snapshot].shapes.count) {
		const shape_sum *sum = &diff->snapshots[snapshot].shapes.sums[index];

		own.objects = sum->objects;
		own.bytes = sum->bytes;
		own.held_objects = sum->held_objects;
		own.held_bytes = sum->held_bytes;
		own.example = sum->example;
	}
	return struct_copy_out(shape, &own, sizeof(own));
}
