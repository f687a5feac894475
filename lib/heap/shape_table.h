/* SPDX-License-Identifier: MIT */
/**
 * \file heap/shape_table.h
 * \brief Path shapes: what the paths from roots to objects have in common in all snapshots, as a tree of steps. A step
 * has the name of the field that leads to an object, and the class of the object.
 *
 * If a class occurs for the second time on a path, the step leads back to the shape where it occurred first. So no
 * shape has more steps than there are classes, and all elements of a list have the same one.
 */
#ifndef HEAP_SHAPE_TABLE_H
#define HEAP_SHAPE_TABLE_H

#include "base/hash_index.h"

/** Not a shape: the parent of shapes that begin at a root. */
#define SHAPE_NONE UINT32_MAX

/**
 * This bit of a shape's number marks an object whose path continues the shape in a way that exceeds a limit. Paths that
 * lead on from there stay at the same shape.
 */
#define SHAPE_INEXACT (UINT32_C(1) << 31)

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

/**
 * Finds or adds the shape of an object that a root refers to, regardless of the limit. Returns 0, changing nothing, if
 * there is no memory.
 */
int shape_table_put_root(shape_table *table, uint32_t kind, uint32_t name, uint32_t class_index, uint32_t *shape);

/**
 * Finds or adds the shape of an object that an object of another shape refers to. \p shape can be the parent with
 * #SHAPE_INEXACT. Returns 0, changing nothing, if there is no memory.
 */
int shape_table_put_child(shape_table *table, uint32_t parent, uint32_t name, uint32_t class_index, uint32_t *shape);

#endif
