/* SPDX-License-Identifier: MIT */
/**
 * \file heap/visit_order.h
 * \brief A depth-first search of all objects that roots reach.
 *
 * Visits are numbered from 1; 0 is the imaginary object that refers to all roots. An object is visited before those
 * that were found through it.
 */
#ifndef HEAP_VISIT_ORDER_H
#define HEAP_VISIT_ORDER_H

#include "base/progress.h"
#include "heap/object_graph.h"

typedef struct visit_order {
	const mprof_allocator *allocator;
	uint32_t object_count; /**< Of the graph. */
	uint32_t count;        /**< Objects visited. */
	uint32_t *visits;      /**< By object: its visit; 0 if no root reaches it. */
	uint32_t *parents;     /**< By visit: the visit that it was found from; 0: a root. */
} visit_order;

/** Steps of visit_order_build(). */
static inline uint64_t visit_order_steps(const object_graph *graph)
{
	return 2 * (uint64_t)graph->object_count + graph->reference_count;
}

/** Searches the graph. Returns 0 if there is no memory or it was stopped; the order can then only be destroyed. */
int visit_order_build(visit_order *order, const object_graph *graph, progress *going);

/** Returns the visits, of which there is one more than objects; the caller frees them. */
uint32_t *visit_order_take_visits(visit_order *order);

/** Frees the order. */
void visit_order_destroy(visit_order *order);

#endif
