/* SPDX-License-Identifier: MIT */
/**
 * \file report/tree_paths.h
 * \brief A walk over a tree of a profile: the heaviest branches first, what is too light or too deep left out. Needs no
 * more stack for deep trees than for flat ones.
 */
#ifndef TREE_PATHS_H
#define TREE_PATHS_H

#include <mprof/profile.h>

#include <stddef.h>

/** What the walk must know of a node. Node 0 is the root, and as a link means that there is none. */
typedef struct tree_node {
	uint32_t node;
	uint32_t first_child;
	uint32_t next_sibling;
	uint32_t name;     /**< Decides between nodes that are equal otherwise: the smaller comes first. */
	uint64_t weight;   /**< The node with all below it. */
	uint64_t tiebreak; /**< Decides between nodes of the same weight: the larger comes first. */
} tree_node;

/** Branches that were left out. */
typedef struct hidden_branches {
	uint64_t count;
	uint64_t weight;
} hidden_branches;

typedef struct tree_visitor {
	/** Tells about a node; sets all of \p found. */
	void (*get)(void *user, uint32_t node, tree_node *found);
	/** A node is met; those below it follow. \p depth is 0 for the children of the root. */
	void (*enter)(void *user, uint32_t node, size_t depth);
	/** All below it were met. */
	void (*leave)(void *user, uint32_t node, const hidden_branches *hidden, size_t depth);
	void *user;
	/** The walk ends early when this is not 0; may be NULL. */
	const int *is_over;
} tree_visitor;

/** Leaves out nodes below \p min_weight, and those from \p max_depth on. Returns 0 if there is no memory. */
int tree_paths_walk(const tree_visitor *visitor, uint64_t min_weight, size_t max_depth);

#endif
