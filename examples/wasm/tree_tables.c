/* SPDX-License-Identifier: MIT */
/* Tables of frame trees. */
#include "rows.h"

static const table_column columns_of_nodes[] = {
	COLUMN(mprof_frame_node, kind),        COLUMN(mprof_frame_node, id),
	COLUMN(mprof_frame_node, flags),       COLUMN(mprof_frame_node, parent),
	COLUMN(mprof_frame_node, first_child), COLUMN(mprof_frame_node, next_sibling),
	COLUMN(mprof_frame_node, count),       COLUMN(mprof_frame_node, self),
	COLUMN(mprof_frame_node, total),       COLUMN(mprof_frame_node, position),
};

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
	TABLE(nodes),
	TABLE(frames),
	TABLE(callers),
	TABLE(callees),
};

const table_list tree_tables = {tables, sizeof(tables) / sizeof(tables[0])};
