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

typedef struct dominator_tree {
	const mprof_allocator *allocator;
	uint32_t count;    /**< Reachable objects. */
	uint32_t *objects; /**< By position. */
	uint32_t *ends;    /**< By position: the position after the last object that this one dominates. */
} dominator_tree;

/**
 * Arranges the objects, and stores the immediate dominator of each: \p dominators is by object; the value for visit 0
 * is \p root; that of unreachable objects is not changed. The parents of \p order are the immediate dominators; its
 * visits are freed. Returns 0 if there is no memory; the tree must be destroyed in any case.
 */
int dominator_tree_build(dominator_tree *tree, visit_order *order, uint32_t *dominators, uint32_t root);

/** Frees the tree. */
void dominator_tree_destroy(dominator_tree *tree);

#endif
