/* SPDX-License-Identifier: MIT */
/**
 * \file report/tree_paths.h
 * \brief Walks a tree of a profile: the heaviest branches first, without branches that are too light or too deep. Not
 * recursive, so deep trees need no more stack than flat ones.
 */
#ifndef TREE_PATHS_H
#define TREE_PATHS_H

#include <mprof/profile.h>

#include <stddef.h>

/** The properties of a node that the walk needs. Node 0 is the root; as a link, 0 means that there is no such node. */
typedef struct tree_node {
	uint32_t node;
	uint32_t first_child;
	uint32_t next_sibling;
	uint32_t name;     /**< Last sort key: the smaller one comes first. */
	uint64_t weight;   /**< Weight of the node with its descendants. */
	uint64_t tiebreak; /**< Sort key for nodes of the same weight: the larger one comes first. */
} tree_node;

/** Branches that were left out. */
typedef struct hidden_branches {
	uint64_t count;
	uint64_t weight;
} hidden_branches;

typedef struct tree_visitor {
	/** Fills in all fields of \p found for a node. */
	void (*get)(void *user, uint32_t node, tree_node *found);
	/** Called when a node is entered; its descendants follow. \p depth is 0 for the children of the root. */
	void (*enter)(void *user, uint32_t node, size_t depth);
	/** Called after all descendants of a node. */
	void (*leave)(void *user, uint32_t node, const hidden_branches *hidden, size_t depth);
	void *user;
	/** The walk ends early when the value is not 0; may be NULL. */
	const int *is_over;
} tree_visitor;

/**
 * Walks the tree without nodes below \p min_weight, and without those from \p max_depth on. Returns 0 if out of memory.
 */
int tree_paths_walk(const tree_visitor *visitor, uint64_t min_weight, size_t max_depth);

#endif
