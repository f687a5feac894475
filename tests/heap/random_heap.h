/* SPDX-License-Identifier: MIT */
/**
 * \file random_heap.h
 * \brief Heaps as plain arrays: made at random or by hand, written to a log, and analysed in the simplest way.
 */
#ifndef HEAP_RANDOM_HEAP_H
#define HEAP_RANDOM_HEAP_H

#include "heap/graph_fixture.h"

#define MAX_NODES 220
#define MAX_EDGES 700
#define FIRST_ADDRESS UINT64_C(0x7f1200000000)
#define ADDRESS_STEP 24

/** Nodes are numbered from 0, in the order of their addresses. */
typedef struct plain_heap {
	uint32_t node_count;
	uint32_t edge_count;
	uint32_t sources[MAX_EDGES]; /**< In ascending order. */
	uint32_t targets[MAX_EDGES];
	int is_root[MAX_NODES];
	uint32_t classes[MAX_NODES];
	uint64_t sizes[MAX_NODES];
} plain_heap;

static uint64_t random_state;

static inline uint32_t random_below(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % limit);
}

static inline void make_random_heap(plain_heap *heap, uint64_t seed)
{
	uint32_t nodes;
	uint32_t edges;

	random_state = seed * 977 + 1;
	memset(heap, 0, sizeof(*heap));
	nodes = 1 + random_below(seed % 4 == 0 ? 12 : MAX_NODES);
	heap->node_count = nodes;
	for (uint32_t i = 0; i < nodes; i++) {
		heap->classes[i] = 1 + random_below(5);
		heap->sizes[i] = random_below(4) == 0 ? 0 : random_below(1000);
	}
	heap->is_root[random_below(nodes)] = 1;
	for (uint32_t i = random_below(4); i > 0; i--)
		heap->is_root[random_below(nodes)] = 1;
	/* Few references for each node make deep graphs, many make flat ones. */
	for (uint32_t source = 0; source < nodes; source++) {
		for (edges = random_below(seed % 3 + 2); edges > 0 && heap->edge_count < MAX_EDGES; edges--) {
			heap->sources[heap->edge_count] = source;
			heap->targets[heap->edge_count++] = random_below(nodes);
		}
	}
}

static inline uint64_t address_of(uint32_t node)
{
	return FIRST_ADDRESS + (uint64_t)node * ADDRESS_STEP;
}

/** Writes a heap as a snapshot. Objects are in an order that is not that of their addresses. */
static inline void write_plain_heap(heap_log *log, const plain_heap *heap, uint32_t number)
{
	uint64_t references[MAX_EDGES];
	heap_content content = {NULL, NULL, 0, 0};

	for (uint32_t i = 0; i < heap->edge_count; i++)
		references[i] = address_of(heap->targets[i]);
	for (uint32_t i = 0; i < heap->node_count; i++) {
		uint32_t node = heap->node_count % 7 != 0 ? (uint32_t)((uint64_t)i * 7 % heap->node_count) : i;
		uint32_t first = 0;
		uint32_t end;

		while (first < heap->edge_count && heap->sources[first] < node)
			first++;
		for (end = first; end < heap->edge_count && heap->sources[end] == node;)
			end++;
		heap_append_object(&content, address_of(node), heap->classes[node], heap->sizes[node],
				   references + first, NULL, end - first);
	}
	for (uint32_t i = 0; i < heap->node_count; i++) {
		if (heap->is_root[i])
			heap_append_root(&content, address_of(i), MPROF_ROOT_STATIC);
	}
	heap_write(log, &content, number, WHOLE_SNAPSHOT, 2000000);
}

/** Marks all nodes that roots reach, without paths through the nodes in \p removed. */
static inline void reach_plainly(const plain_heap *heap, const int *removed, int *reached)
{
	int has_changed = 1;

	for (uint32_t i = 0; i < heap->node_count; i++)
		reached[i] = heap->is_root[i] && !removed[i];
	while (has_changed) {
		has_changed = 0;
		for (uint32_t i = 0; i < heap->edge_count; i++) {
			if (reached[heap->sources[i]] && !reached[heap->targets[i]] && !removed[heap->targets[i]]) {
				reached[heap->targets[i]] = 1;
				has_changed = 1;
			}
		}
	}
}

/** The bytes of all nodes that are only reachable through nodes in \p removed, and of these. */
static inline uint64_t retained_plainly(const plain_heap *heap, const int *removed)
{
	static const int none[MAX_NODES];
	int before[MAX_NODES];
	int after[MAX_NODES];
	uint64_t bytes = 0;

	reach_plainly(heap, none, before);
	reach_plainly(heap, removed, after);
	for (uint32_t i = 0; i < heap->node_count; i++)
		bytes += before[i] && !after[i] ? heap->sizes[i] : 0;
	return bytes;
}

#endif
