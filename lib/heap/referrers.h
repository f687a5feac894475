/* SPDX-License-Identifier: MIT */
/**
 * \file heap/referrers.h
 * \brief The references to each object.
 */
#ifndef HEAP_REFERRERS_H
#define HEAP_REFERRERS_H

#include "base/progress.h"
#include "heap/object_graph.h"

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
