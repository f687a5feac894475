/* SPDX-License-Identifier: MIT */
/**
 * \file heap/root_paths.h
 * \brief A shortest path from a root to each object. Among roots at the same distance, static fields come first and
 * objects that wait to be finalized last: see root_rank().
 */
#ifndef HEAP_ROOT_PATHS_H
#define HEAP_ROOT_PATHS_H

#include "base/progress.h"
#include "heap/object_graph.h"

/** In place of a reference: the object is a root's own. */
#define ROOT_PATHS_ROOT UINT32_MAX
/** In place of a reference: no root reaches the object. */
#define ROOT_PATHS_UNREACHABLE (UINT32_MAX - 1)

typedef struct root_paths {
	uint32_t *references; /**< By object: the reference that leads to it. NULL before root_paths_build(). */
	uint64_t reachable_objects;
	uint64_t reachable_bytes;
} root_paths;

/** Steps of root_paths_build(). */
uint64_t root_paths_steps(const object_graph *graph);

/** Searches the graph. Returns 0, changing nothing, if there is no memory or it was stopped. */
int root_paths_build(root_paths *paths, const object_graph *graph, progress *going);

/** Frees everything; root_paths_build() can be called again. */
void root_paths_destroy(root_paths *paths, const object_graph *graph);

typedef struct referrers {
	uint32_t *first;      /**< By object: the first element in references; one more for the end of the last. NULL
	                           before referrers_build(). */
	uint32_t *references; /**< References by target, in ascending order. */
	uint32_t count;       /**< Elements of references. */
} referrers;

/** Steps of referrers_build(). */
uint64_t referrers_steps(const object_graph *graph);

/** Sorts the references of a graph by target. Returns 0, changing nothing, if there is no memory or it was stopped. */
int referrers_build(referrers *found, const object_graph *graph, progress *going);

/** Frees everything; referrers_build() can be called again. */
void referrers_destroy(referrers *found, const object_graph *graph);

#endif
