/* SPDX-License-Identifier: MIT */
/* Makes the graph of the calls in a tree of call stacks. */
#include "export/call_graph.h"

#include "shared/key_map.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph_builder {
	call_graph *graph;
	const stack_tree *tree;
	uint32_t *active; /* How often a frame is on the current path. */
	key_map indexes;  /* 1 + index of a call, by caller and callee. */
} graph_builder;

typedef struct call_entry {
	uint64_t key;
	uint64_t next; /* 1 + the index; 0 for a new entry. */
} call_entry;

/* Returns NULL if out of memory. */
static graph_call *find_call(graph_builder *builder, uint32_t caller, uint32_t callee)
{
	call_graph *graph = builder->graph;
	call_entry *entry = key_map_put(&builder->indexes, (uint64_t)caller << 32 | callee);

	if (entry == NULL)
		return NULL;
	if (entry->next != 0)
		return &graph->calls[entry->next - 1];
	if (graph->call_count == graph->call_capacity) {
		size_t capacity = 2 * graph->call_capacity + 64;
		graph_call *calls = reallocarray(graph->calls, capacity, sizeof(*calls));

		if (calls == NULL)
			return NULL;
		graph->calls = calls;
		graph->call_capacity = capacity;
	}
	entry->next = graph->call_count + 1;
	memset(&graph->calls[graph->call_count], 0, sizeof(*graph->calls));
	graph->calls[graph->call_count].caller = caller;
	graph->calls[graph->call_count].callee = callee;
	return &graph->calls[graph->call_count++];
}

/* Returns 0 if out of memory. */
static int enter_node(graph_builder *builder, uint32_t index)
{
	const stack_node *node = &builder->tree->nodes[index];
	graph_frame *frame = &builder->graph->frames[node->frame];
	int is_outermost = builder->active[node->frame]++ == 0;
	graph_call *call;

	frame->count += node->count;
	frame->self += node->self;
	frame->total += is_outermost ? node->total : 0;
	if (index == 0)
		return 1;
	call = find_call(builder, builder->tree->nodes[node->parent].frame, node->frame);
	if (call == NULL)
		return 0;
	call->count += node->count;
	call->paths++;
	call->inclusive += is_outermost ? node->total : 0;
	return 1;
}

/* Visits each node after its parent and before the next sibling of the parent. */
static int visit_nodes(graph_builder *builder)
{
	const stack_node *nodes = builder->tree->nodes;
	uint32_t node = 0;

	for (;;) {
		if (!enter_node(builder, node))
			return 0;
		if (nodes[node].first_child != 0) {
			node = nodes[node].first_child;
			continue;
		}
		builder->active[nodes[node].frame]--;
		while (node != 0 && nodes[node].next_sibling == 0) {
			node = nodes[node].parent;
			builder->active[nodes[node].frame]--;
		}
		if (node == 0)
			return 1;
		node = nodes[node].next_sibling;
	}
}

static int compare_calls(const void *left, const void *right)
{
	const graph_call *a = left;
	const graph_call *b = right;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->inclusive != b->inclusive)
		return a->inclusive > b->inclusive ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

static void sort_calls(call_graph *graph)
{
	if (graph->call_count > 0)
		qsort(graph->calls, graph->call_count, sizeof(*graph->calls), compare_calls);
	for (size_t i = 0; i < graph->call_count; i++) {
		graph_frame *caller = &graph->frames[graph->calls[i].caller];

		if (caller->call_count++ == 0)
			caller->first_call = i;
	}
}

int call_graph_make(call_graph *graph, const stack_tree *tree)
{
	graph_builder builder = {.graph = graph, .tree = tree};
	int is_created;

	memset(graph, 0, sizeof(*graph));
	builder.indexes.value_size = sizeof(uint64_t);
	graph->frame_count = tree->frame_count;
	graph->frames = calloc(tree->frame_count + 1, sizeof(*graph->frames));
	builder.active = calloc(tree->frame_count + 1, sizeof(*builder.active));
	is_created = graph->frames != NULL && builder.active != NULL && visit_nodes(&builder);
	if (is_created)
		sort_calls(graph);
	free(builder.active);
	key_map_clear(&builder.indexes);
	return is_created;
}

void call_graph_release(call_graph *graph)
{
	free(graph->frames);
	free(graph->calls);
	memset(graph, 0, sizeof(*graph));
}
