/* SPDX-License-Identifier: MIT */
/**
 * \file heap/shapes.h
 * \brief Objects grouped by the shape of their path: the root, and the field and the class of each step.
 *
 * The shapes of all paths are a tree. Where the steps of a path repeat, as in a list, the repetitions are one step, so
 * that a list has a few shapes and not one for each of its objects.
 */
#ifndef HEAP_SHAPES_H
#define HEAP_SHAPES_H

#include "heap/view.h"
#include "shared/key_map.h"

/** Not a shape: the object has no path. */
#define SHAPE_NONE 0

typedef struct path_shape {
	uint32_t parent;   /**< The shape without the last step; #SHAPE_NONE if a root refers to the object. */
	uint32_t depth;    /**< Number of steps before the last. */
	const char *field; /**< The field of the step before; NULL if not known. */
	uint32_t class_index;
	uint32_t root_kind; /**< Of the first step, like the next one. */
	const char *root_name;
	int is_repeated;   /**< The last steps occur again and again in the paths of some objects. */
	uint32_t example;  /**< The object of this shape, and wanted, with the largest retained size. */
	uint64_t objects;  /**< Objects that are wanted, as for the next fields. */
	uint64_t bytes;    /**< Their bytes. */
	uint64_t retained; /**< Retained sizes of those that no other one of them dominates. */
	uint64_t marks;    /**< By step, the first one first: on all paths to each of them. */
} path_shape;

/** Steps from this number on have no marks, and their retained sizes are not known. */
#define SHAPE_MARKS 64

typedef struct path_shapes {
	const heap_view *view;
	path_shape *shapes; /**< By number; the first one is #SHAPE_NONE. */
	size_t count;
	size_t capacity;
	uint32_t *of_object; /**< By object; #SHAPE_NONE if not known yet. */
	uint64_t *marks;     /**< By object: steps of its path on all paths to it. */
	key_map fields;      /**< Numbers of field names by their address. */
	key_map labels;      /**< Numbers of fields together with a class. */
	key_map children;    /**< Shapes by the shape without the last step and the label of the last. */
	struct shape_root *roots;
	size_t root_count;
	size_t root_capacity;
	key_map areas; /**< Numbers of roots by kind and area. */
	struct shape_step *pending;
	size_t pending_capacity;
} path_shapes;

/** Prepares an empty group. Returns 0 if out of memory. Call path_shapes_release() in both cases. */
int path_shapes_init(path_shapes *shapes, const heap_view *view);
void path_shapes_release(path_shapes *shapes);

/** Adds a reachable object to the group of its path. Returns 0 if out of memory. */
int path_shapes_add(path_shapes *shapes, uint32_t object);

#endif
