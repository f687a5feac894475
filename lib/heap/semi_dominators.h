/* SPDX-License-Identifier: MIT */
/**
 * \file heap/semi_dominators.h
 * \brief Finds immediate dominators by the algorithm Semi-NCA.
 *
 * Georgiadis, Tarjan, Werneck: "Finding dominators in practice", Journal of Graph Algorithms and Applications 10
 * (2006).
 */
#ifndef HEAP_SEMI_DOMINATORS_H
#define HEAP_SEMI_DOMINATORS_H

#include "heap/visit_order.h"

/** Steps of semi_dominators_find(). */
static inline uint64_t semi_dominators_steps(const object_graph *graph)
{
	return 4 * (uint64_t)graph->object_count + 3 * (uint64_t)graph->reference_count;
}

/**
 * Replaces the parent of each visit by the visit of its immediate dominator; 0 stands for all roots. Returns 0 if there
 * is no memory or it was stopped; the order can then only be destroyed.
 */
int semi_dominators_find(visit_order *order, const object_graph *graph, progress *going);

#endif
