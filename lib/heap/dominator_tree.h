/* SPDX-License-Identifier: MIT */
/**
 * \file heap/dominator_tree.h
 * \brief All reachable objects in the order of their dominator tree.
 *
 * Each object is followed by those that it dominates, so they are a range of positions. Positions are numbered from 1;
 * 0 is the imaginary object that refers to all roots.
 */
#ifndef HEAP_DOMINATOR_TREE_H
#define HEAP_DOMINATOR_TREE_H

#include "heap/visit_order.h"

/** What sums need of an object, in one place. */
typedef struct tree_object {
	uint64_t bytes; /**< Its size. */
	uint32_t class_index;
	uint32_t object;
} tree_object;

typedef struct dominator_tree {
	const mprof_allocator *allocator;
	uint32_t object_count; /**< Of the graph. */
	uint32_t count;        /**< Reachable objects. */
	uint32_t *positions;   /**< By object; 0 if no root reaches it. */
	uint32_t *dominators;  /**< By position: the position of the immediate dominator. */
	tree_object *objects;  /**< By position. */
} dominator_tree;

/** Steps of dominator_tree_build(). */
static inline uint64_t dominator_tree_steps(const object_graph *graph)
{
	return 4 * (uint64_t)graph->object_count;
}

/**
 * Arranges the objects. The parents of \p order are the immediate dominators; the order is destroyed. Returns 0 if
 * there is no memory or it was stopped; the tree must be destroyed in any case.
 */
int dominator_tree_build(dominator_tree *tree, visit_order *order, const object_graph *graph, progress *going);

/**
 * Fills \p ends, which has an element more than there are objects: by position, the position after the last object that
 * this one dominates. Takes a step for each object. Returns 0 if it was stopped.
 */
int dominator_tree_find_ends(const dominator_tree *tree, uint32_t *ends, progress *going);

/** Returns the positions; the caller frees them. */
uint32_t *dominator_tree_take_positions(dominator_tree *tree);

/** Bytes of the positions, the dominators, and the ends. */
size_t dominator_tree_array_size(const dominator_tree *tree);

/** Frees the tree. */
void dominator_tree_destroy(dominator_tree *tree);

#endif
