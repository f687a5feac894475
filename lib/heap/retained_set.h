/* SPDX-License-Identifier: MIT */
/**
 * \file heap/retained_set.h
 * \brief The memory that a set of objects retains.
 */
#ifndef HEAP_RETAINED_SET_H
#define HEAP_RETAINED_SET_H

#include "heap/dominators.h"

/** Steps of retained_set_sum(). */
uint64_t retained_set_steps(const object_graph *graph);

/**
 * Adds up the sizes of the reachable objects that would be dead without a set of objects: these, and all that roots
 * reach only through any of these. Returns 0 if there is no memory or it was stopped.
 */
int retained_set_sum(const object_graph *graph, const dominators *found, const uint32_t *objects, size_t count,
		     progress *going, uint64_t *bytes);

#endif
