/* SPDX-License-Identifier: MIT */
/**
 * \file export/call_graph.h
 * \brief The frames of a tree of call stacks, and which of them call which.
 *
 * A value counts once for each frame of its call stack, and for the call to the outermost occurrence of that frame: the
 * inclusive values of the calls to a frame add up to its total, also if it is recursive. A recursive call itself has no
 * inclusive value.
 */
#ifndef EXPORT_CALL_GRAPH_H
#define EXPORT_CALL_GRAPH_H

#include "export/stack_tree.h"

typedef struct graph_frame {
	uint64_t count; /**< As in the nodes of the tree. */
	uint64_t self;
	uint64_t total;
	size_t first_call; /**< Index of the first call that the frame makes. */
	size_t call_count;
} graph_frame;

/** What one frame calls in another one. */
typedef struct graph_call {
	uint32_t caller; /**< Index of the frame; that of the root for outermost frames. */
	uint32_t callee;
	uint64_t count;     /**< The sum of the counts of the callee here. */
	uint64_t paths;     /**< Number of call paths that contain the call as their last one. */
	uint64_t inclusive; /**< The value of the callee with all that it calls. */
} graph_call;

typedef struct call_graph {
	graph_frame *frames; /**< By index of the frame in the tree. */
	size_t frame_count;
	graph_call *calls; /**< By caller, those with the greatest inclusive values first. */
	size_t call_count;
	size_t call_capacity;
} call_graph;

/** Makes the graph of a tree. Returns 0 if out of memory; call call_graph_release() in both cases. */
int call_graph_make(call_graph *graph, const stack_tree *tree);
void call_graph_release(call_graph *graph);

#endif
