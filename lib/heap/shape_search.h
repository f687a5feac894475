/* SPDX-License-Identifier: MIT */
/**
 * \file heap/shape_search.h
 * \brief Finds the path shape of each object of a graph, and sums up the objects of each shape.
 */
#ifndef HEAP_SHAPE_SEARCH_H
#define HEAP_SHAPE_SEARCH_H

#include "heap/name_pool.h"
#include "heap/object_graph.h"
#include "heap/shape_table.h"

#include "base/progress.h"

#include <mprof/reader.h>

/** The objects of a shape in one snapshot. */
typedef struct shape_sum {
	uint64_t objects;
	uint64_t bytes;
	uint64_t held_objects; /**< Also those of shapes that continue this one. */
	uint64_t held_bytes;
	uint64_t example; /**< Address of an object. */
} shape_sum;

typedef struct shape_sums {
	shape_sum *sums; /**< By shape; shapes that were added later have no objects. */
	size_t count;
	uint64_t reachable_objects;
	uint64_t reachable_bytes;
	uint64_t inexact_objects;
} shape_sums;

/** What shapes are made of. */
typedef struct shape_names {
	shape_table *shapes;
	name_pool *names;        /**< Of fields and roots. */
	const uint32_t *classes; /**< By class of the graph: the number of its name. */
} shape_names;

/** A sum of sizes; sizes of a damaged log may be anything. */
static inline uint64_t shape_add_bytes(uint64_t sum, uint64_t value)
{
	return sum + value < sum ? UINT64_MAX : sum + value;
}

/** Steps of shape_search_run(). */
uint64_t shape_search_steps(const object_graph *graph);

/**
 * Searches the graph and fills empty sums. Returns 0 if there is no memory or it was stopped; the sums must be released
 * in any case.
 */
int shape_search_run(const object_graph *graph, const mprof_reader *reader, const shape_names *names, progress *going,
		     shape_sums *sums);

void shape_sums_release(shape_sums *sums, const mprof_allocator *allocator);

#endif
