/* SPDX-License-Identifier: MIT */
/* Tables of heap graphs and of frame trees. */
#include "rows.h"

static const table_column columns_of_graph[] = {
	COLUMN(mprof_heap_graph_totals, snapshot),
	COLUMN(mprof_heap_graph_totals, number),
	COLUMN(mprof_heap_graph_totals, time_ns),
	COLUMN(mprof_heap_graph_totals, incomplete),
	COLUMN(mprof_heap_graph_totals, limited),
	COLUMN(mprof_heap_graph_totals, has_roots),
	COLUMN(mprof_heap_graph_totals, has_offsets),
	COLUMN(mprof_heap_graph_totals, has_dominators),
	COLUMN(mprof_heap_graph_totals, has_paths),
	COLUMN(mprof_heap_graph_totals, has_referrers),
	COLUMN(mprof_heap_graph_totals, objects),
	COLUMN(mprof_heap_graph_totals, bytes),
	COLUMN(mprof_heap_graph_totals, references),
	COLUMN(mprof_heap_graph_totals, classes),
	COLUMN(mprof_heap_graph_totals, roots),
	ARRAY_COLUMN(mprof_heap_graph_totals, roots_by_kind),
	COLUMN(mprof_heap_graph_totals, reachable_objects),
	COLUMN(mprof_heap_graph_totals, reachable_bytes),
	COLUMN(mprof_heap_graph_totals, missing_references),
	COLUMN(mprof_heap_graph_totals, missing_roots),
	COLUMN(mprof_heap_graph_totals, orphan_references),
	COLUMN(mprof_heap_graph_totals, repeated_objects),
	COLUMN(mprof_heap_graph_totals, damaged_blocks),
	COLUMN(mprof_heap_graph_totals, used_memory),
};

static const table_column columns_of_heap_snapshots[] = {
	COLUMN(mprof_heap_snapshot, number),  COLUMN(mprof_heap_snapshot, incomplete),
	COLUMN(mprof_heap_snapshot, time_ns), COLUMN(mprof_heap_snapshot, objects),
	COLUMN(mprof_heap_snapshot, bytes),   COLUMN(mprof_heap_snapshot, references),
	COLUMN(mprof_heap_snapshot, roots),
};

static const table_column columns_of_heap_classes[] = {
	COLUMN(mprof_heap_class, class_id),        COLUMN(mprof_heap_class, objects),
	COLUMN(mprof_heap_class, bytes),           COLUMN(mprof_heap_class, reachable_objects),
	COLUMN(mprof_heap_class, reachable_bytes), COLUMN(mprof_heap_class, retained_bytes),
};

static const table_column columns_of_heap_objects[] = {
	EXACT_COLUMN(mprof_heap_object, address),  COLUMN(mprof_heap_object, bytes),
	COLUMN(mprof_heap_object, retained_bytes), COLUMN(mprof_heap_object, class_id),
	COLUMN(mprof_heap_object, class_index),    COLUMN(mprof_heap_object, dominator),
	COLUMN(mprof_heap_object, is_reachable),   COLUMN(mprof_heap_object, is_root),
	COLUMN(mprof_heap_object, references),     COLUMN(mprof_heap_object, referrers),
};

static const table_column columns_of_heap_roots[] = {
	COLUMN(mprof_heap_root, object),
	COLUMN(mprof_heap_root, kind),
	COLUMN(mprof_heap_root, area),
};

static const table_column columns_of_nodes[] = {
	COLUMN(mprof_frame_node, kind),   COLUMN(mprof_frame_node, id),          COLUMN(mprof_frame_node, flags),
	COLUMN(mprof_frame_node, parent), COLUMN(mprof_frame_node, first_child), COLUMN(mprof_frame_node, next_sibling),
	COLUMN(mprof_frame_node, count),  COLUMN(mprof_frame_node, self),        COLUMN(mprof_frame_node, total),
};

ONE_ROW(graph, mprof_heap_graph_totals, view->graph != NULL, mprof_heap_graph_get_totals(view->graph, row))

SIZED_ROWS(heap_snapshots, mprof_heap_snapshot, mprof_heap_graph_get_snapshot_count(view->graph),
	   mprof_heap_graph_get_snapshot(view->graph, index, row))

SIZED_ROWS(heap_classes, mprof_heap_class, mprof_heap_graph_get_class_count(view->graph),
	   mprof_heap_graph_get_class(view->graph, index, row))

static mprof_heap_graph_totals graph_totals(const log_view *view)
{
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};

	(void)mprof_heap_graph_get_totals(view->graph, &totals);
	return totals;
}

SIZED_ROWS(heap_objects, mprof_heap_object, graph_totals(view).objects,
	   mprof_heap_graph_get_object(view->graph, (uint32_t)index, row))

SIZED_ROWS(heap_roots, mprof_heap_root, graph_totals(view).roots, mprof_heap_graph_get_root(view->graph, index, row))

SIZED_ROWS(nodes, mprof_frame_node, mprof_frame_tree_get_node_count(view->tree),
	   mprof_frame_tree_get_node(view->tree, (uint32_t)index, row))

#define FRAMES_OF(table, noun)                                                                                         \
	static const table_column columns_of_##table[] = {                                                             \
		COLUMN(mprof_frame_stats, kind),   COLUMN(mprof_frame_stats, id),    COLUMN(mprof_frame_stats, flags), \
		COLUMN(mprof_frame_stats, choice), COLUMN(mprof_frame_stats, count), COLUMN(mprof_frame_stats, self),  \
		COLUMN(mprof_frame_stats, total),                                                                      \
	};                                                                                                             \
                                                                                                                       \
	SIZED_ROWS(table, mprof_frame_stats, mprof_frame_tree_get_##noun##_count(view->tree),                          \
		   mprof_frame_tree_get_##noun(view->tree, index, row))

FRAMES_OF(frames, frame)

FRAMES_OF(callers, caller)

FRAMES_OF(callees, callee)

static const table tables[] = {
	TABLE(graph), TABLE(heap_snapshots), TABLE(heap_classes), TABLE(heap_objects), TABLE(heap_roots),
	TABLE(nodes), TABLE(frames),         TABLE(callers),      TABLE(callees),
};

const table_list heap_tables = {tables, sizeof(tables) / sizeof(tables[0])};
