/* SPDX-License-Identifier: MIT */
/**
 * \file heap/shape_search.h
 * \brief Finds the path shape of each object of a graph, and sums up the objects of each shape.
 */
#ifndef HEAP_SHAPE_SEARCH_H
#define HEAP_SHAPE_SEARCH_H

#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/progress.h"
#include "heap/object_graph.h"

/** A name. Two of them are the same if both fields are equal. */
typedef struct pooled_name {
	char *text;
	uint64_t scope; /**< Where the name has its meaning; 0: everywhere. */
} pooled_name;

typedef struct name_pool {
	hash_index index; /**< Slots are positions of names + 1, as 32-bit numbers. */
	pooled_name *names;
	size_t count;
	size_t capacity;
} name_pool;

void name_pool_init(name_pool *pool, const mprof_allocator *allocator);
void name_pool_destroy(name_pool *pool);

/** Removes all names after the first \p count ones. */
void name_pool_truncate(name_pool *pool, size_t count);

/** Finds or adds a name, which is copied. Returns 0, changing nothing, if there is no memory. */
int name_pool_put(name_pool *pool, const char *text, uint64_t scope, uint32_t *number);

/** Not a shape: the parent of shapes that begin at a root. */
#define SHAPE_NONE UINT32_MAX

/*
 * If a class occurs for the second time on a path, the step leads back to the shape where it occurred first. So no
 * shape has more steps than there are classes, and all elements of a list have the same one.
 */

typedef struct path_shape {
	uint32_t parent;
	uint32_t name; /**< Number of the field's name; of the root's without a parent. */
	uint32_t class_index;
	uint32_t depth;
	uint8_t root_kind;
	uint8_t is_recursive;
} path_shape;

/** A step from a shape to another one, or back. */
typedef struct shape_step {
	uint32_t parent;
	uint32_t name;
	uint32_t class_index;
	uint32_t root_kind; /**< 0 with a parent. */
	uint32_t shape;     /**< Where it leads. */
} shape_step;

typedef struct shape_table {
	hash_index index; /**< Slots are positions of steps + 1, as 32-bit numbers. */
	shape_step *steps;
	size_t step_count;
	size_t step_capacity;
	path_shape *shapes; /**< Parents come before their children. */
	size_t count;
	size_t capacity;
	uint32_t max_shapes;
	uint32_t max_depth;
} shape_table;

void shape_table_init(shape_table *table, const mprof_allocator *allocator, uint32_t max_shapes, uint32_t max_depth);
void shape_table_destroy(shape_table *table);

/** What a table contains, for shape_table_truncate(). */
typedef struct shape_table_size {
	size_t steps;
	size_t shapes;
} shape_table_size;

shape_table_size shape_table_get_size(const shape_table *table);

/** Removes all that was added since the table had a size. */
void shape_table_truncate(shape_table *table, const shape_table_size *size);

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
