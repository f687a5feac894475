/* SPDX-License-Identifier: MIT */
/* Describes the tables of heap graphs and of their comparison, and reads the rows of any table of a graph. */
#include <mprof/heap.h>

#include "base/table.h"
#include "heap/graph_internal.h"

#define ROW mprof_heap_graph_totals
static const mprof_table_column graph_columns[] = {
	COLUMN(snapshot, NUMBER),
	COLUMN(number, NUMBER),
	COLUMN(time_ns, TIME),
	COLUMN(incomplete, BOOLEAN),
	COLUMN(limited, BOOLEAN),
	COLUMN(has_roots, BOOLEAN),
	COLUMN(has_offsets, BOOLEAN),
	COLUMN(has_dominators, BOOLEAN),
	COLUMN(has_paths, BOOLEAN),
	COLUMN(has_referrers, BOOLEAN),
	COLUMN(objects, COUNT),
	COLUMN(bytes, BYTES),
	COLUMN(references, COUNT),
	COLUMN(classes, COUNT),
	COLUMN(roots, COUNT),
	ARRAY_COLUMN(roots_by_kind, COUNT),
	COLUMN(reachable_objects, COUNT),
	COLUMN(reachable_bytes, BYTES),
	COLUMN(missing_references, COUNT),
	COLUMN(missing_roots, COUNT),
	COLUMN(orphan_references, COUNT),
	COLUMN(repeated_objects, COUNT),
	COLUMN(damaged_blocks, COUNT),
	COLUMN(used_memory, BYTES),
	COLUMN(labels, COUNT),
	COLUMN(names, COUNT),
	COLUMN(weak_references, COUNT),
	COLUMN(synthetic_objects, COUNT),
	COLUMN(missing_notes, COUNT),
};
#undef ROW

#define ROW mprof_heap_snapshot
static const mprof_table_column heap_snapshots_columns[] = {
	COLUMN(number, NUMBER), COLUMN(incomplete, BOOLEAN), COLUMN(time_ns, TIME), COLUMN(objects, COUNT),
	COLUMN(bytes, BYTES),   COLUMN(references, COUNT),   COLUMN(roots, COUNT),
};
#undef ROW

#define ROW mprof_heap_class
static const mprof_table_column heap_classes_columns[] = {
	COLUMN(class_id, CLASS),          MEASURE(objects, COUNT, COUNT), MEASURE(bytes, BYTES, SELF),
	COLUMN(reachable_objects, COUNT), COLUMN(reachable_bytes, BYTES), MEASURE(retained_bytes, BYTES, TOTAL),
};
#undef ROW

#define ROW mprof_heap_object
static const mprof_table_column heap_objects_columns[] = {
	COLUMN(address, ADDRESS),       MEASURE(bytes, BYTES, SELF), MEASURE(retained_bytes, BYTES, TOTAL),
	COLUMN(class_id, CLASS),        COLUMN(class_index, NUMBER), COLUMN(dominator, NUMBER),
	COLUMN(is_reachable, BOOLEAN),  COLUMN(is_root, BOOLEAN),    COLUMN(references, COUNT),
	COLUMN(referrers, COUNT),       COLUMN(flags, BITS),         COLUMN(label, TEXT),
	COLUMN(weak_references, COUNT),
};
#undef ROW

#define ROW mprof_heap_root
static const mprof_table_column heap_roots_columns[] = {
	COLUMN(object, NUMBER),
	COLUMN(kind, KIND),
	COLUMN(area, NUMBER),
	COLUMN(holder, NUMBER),
};
#undef ROW

#define ROW mprof_heap_growth
static const mprof_table_column heap_growth_columns[] = {
	COLUMN(shape, NUMBER),          COLUMN(snapshots, COUNT),     COLUMN(is_by_size, BOOLEAN),
	COLUMN(grown_snapshots, COUNT), COLUMN(objects_first, COUNT), COLUMN(objects_last, COUNT),
	COLUMN(bytes_first, BYTES),     COLUMN(bytes_last, BYTES),
};
#undef ROW

#define TABLE(number, name, row) [MPROF_HEAP_TABLE_##number - MPROF_HEAP_TABLE_GRAPH] = TABLE_OF(name, row)

static const table_description graph_tables[] = {
	TABLE(GRAPH, graph, mprof_heap_graph_totals),   TABLE(SNAPSHOTS, heap_snapshots, mprof_heap_snapshot),
	TABLE(CLASSES, heap_classes, mprof_heap_class), TABLE(OBJECTS, heap_objects, mprof_heap_object),
	TABLE(ROOTS, heap_roots, mprof_heap_root),
};

static const table_description diff_tables[] = {
	TABLE_OF(heap_growth, mprof_heap_growth),
};

static const table_list lists[] = {
	{graph_tables, sizeof(graph_tables) / sizeof(graph_tables[0]), MPROF_HEAP_TABLE_GRAPH},
	{diff_tables, sizeof(diff_tables) / sizeof(diff_tables[0]), MPROF_HEAP_TABLE_GROWTH},
};

static const table_list *find_list(uint32_t table)
{
	return table < MPROF_HEAP_TABLE_GROWTH ? &lists[0] : &lists[1];
}

const mprof_table_info *mprof_heap_table_get_info(uint32_t table)
{
	return table_list_info(find_list(table), table);
}

const mprof_table_column *mprof_heap_table_get_column(uint32_t table, size_t column)
{
	return table_list_column(find_list(table), table, column);
}

size_t mprof_heap_graph_get_row_count(const mprof_heap_graph *graph, uint32_t table)
{
	if (graph == NULL)
		return 0;
	switch (table) {
	case MPROF_HEAP_TABLE_GRAPH:
		return 1;
	case MPROF_HEAP_TABLE_SNAPSHOTS:
		return mprof_heap_graph_get_snapshot_count(graph);
	case MPROF_HEAP_TABLE_CLASSES:
		return mprof_heap_graph_get_class_count(graph);
	case MPROF_HEAP_TABLE_OBJECTS:
		return graph->objects.object_count;
	case MPROF_HEAP_TABLE_ROOTS:
		return graph->objects.root_count;
	default:
		return 0;
	}
}

mprof_status mprof_heap_graph_get_row(const mprof_heap_graph *graph, uint32_t table, size_t index, void *row)
{
	if (row == NULL || index >= mprof_heap_graph_get_row_count(graph, table))
		return MPROF_ERR_ARGUMENT;
	switch (table) {
	case MPROF_HEAP_TABLE_GRAPH:
		return mprof_heap_graph_get_totals(graph, row);
	case MPROF_HEAP_TABLE_SNAPSHOTS:
		return mprof_heap_graph_get_snapshot(graph, index, row);
	case MPROF_HEAP_TABLE_CLASSES:
		return mprof_heap_graph_get_class(graph, index, row);
	case MPROF_HEAP_TABLE_OBJECTS:
		return mprof_heap_graph_get_object(graph, (uint32_t)index, row);
	default:
		return mprof_heap_graph_get_root(graph, index, row);
	}
}
