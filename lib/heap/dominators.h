/* SPDX-License-Identifier: MIT */
/**
 * \file heap/dominators.h
 * \brief The immediate dominator and the retained size of each object.
 *
 * An object dominates another one if every path from a root to that one leads through it. The objects that an object
 * dominates, and itself, are those that would be dead without it; their sizes are its retained size.
 */
#ifndef HEAP_DOMINATORS_H
#define HEAP_DOMINATORS_H

#include "base/progress.h"
#include "heap/object_graph.h"

/** In place of a dominator: no single object dominates it, only all roots together. */
#define DOMINATOR_ROOTS UINT32_MAX
/** In place of a dominator: no root reaches the object. */
#define DOMINATOR_UNREACHABLE (UINT32_MAX - 1)

typedef struct dominators {
	/** By object: its immediate dominator; one more element. NULL before dominators_build(). */
	uint32_t *dominators;
	uint64_t *retained; /**< By object, in bytes; 0 if unreachable. */
	uint64_t reachable_objects;
	uint64_t reachable_bytes;
} dominators;

/** Steps of dominators_build(). */
uint64_t dominators_steps(const object_graph *graph);

/**
 * Computes everything, also the fields of the classes of the graph. Returns 0, changing nothing, if there is no memory
 * or it was stopped.
 */
int dominators_build(dominators *found, object_graph *graph, progress *going);

/** Frees everything; dominators_build() can be called again. */
void dominators_destroy(dominators *found, const object_graph *graph);

#endif
