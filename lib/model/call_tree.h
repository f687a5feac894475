/* SPDX-License-Identifier: MIT */
/**
 * \file model/call_tree.h
 * \brief Methods as reached by one path: a tree that all threads share.
 *
 * Only calls and self times are kept up to date; inclusive times follow from them by call_tree_sum().
 */
#ifndef MODEL_CALL_TREE_H
#define MODEL_CALL_TREE_H

#include "base/allocator.h"

/** The node that stands for no caller. No other node has number 0, so 0 means "none" in the links. */
#define CALL_TREE_ROOT 0

/** Places for the latest nodes of methods. A power of two. */
#define CALL_TREE_LATEST 1024

typedef struct call_node {
	uint32_t method;
	uint32_t parent; /**< Always a smaller number than the node's own. */
	uint32_t first_child;
	uint32_t next_sibling;
	uint32_t depth;        /**< Frames on a stack whose top this is. */
	uint32_t is_compiling; /**< 1: the method is being compiled, not run. */
	uint64_t calls;
	uint64_t self;  /**< In counters. */
	uint64_t total; /**< In counters; as of the last call_tree_sum(). */
	uint64_t allocations;
	uint64_t bytes; /**< Of the objects allocated. */
} call_node;

typedef struct call_tree {
	mprof_allocator allocator;
	call_node *nodes;
	size_t count;
	size_t capacity;
	uint32_t *places;   /**< Node by a hash of its parent and method, open addressing; 0 is an empty place. */
	size_t place_count; /**< A power of two, or 0. */
	uint64_t seed;      /**< hash_seed(). */
	uint32_t shift;     /**< 64 - log2(place_count). */
	/**
	 * By the low bits of a method: the node that call_tree_child() gave last, or #CALL_TREE_ROOT. Mostly it is the
	 * next one, too, and it is found without waiting to know the parent.
	 */
	uint32_t latest[CALL_TREE_LATEST];
} call_tree;

/** Makes a tree of the root alone. Returns 0 if there is no memory; call_tree_destroy() is right then too. */
int call_tree_init(call_tree *tree, const mprof_allocator *allocator);
void call_tree_destroy(call_tree *tree);

/**
 * The child of \p parent for \p method, made if it is not there, which may move the nodes. #CALL_TREE_ROOT if there is
 * no memory; nothing is changed then.
 */
uint32_t call_tree_child(call_tree *tree, uint32_t parent, uint32_t method);

/** The child for a compilation of \p method, which is another than that for its calls. */
uint32_t call_tree_compilation(call_tree *tree, uint32_t parent, uint32_t method);

/** Adds a node that is not to be found by call_tree_child(). As above. */
uint32_t call_tree_append(call_tree *tree, uint32_t parent, uint32_t method);

/** As call_tree_child() where that node is the method's latest one, else #CALL_TREE_ROOT. */
static inline uint32_t call_tree_latest(const call_tree *tree, uint32_t parent, uint32_t method)
{
	uint32_t number = tree->latest[method % CALL_TREE_LATEST];
	const call_node *node = &tree->nodes[number];

	return node->method == method && node->parent == parent ? number : CALL_TREE_ROOT;
}

/** Computes the inclusive times of all nodes. */
void call_tree_sum(call_tree *tree);

/** Called for a node that a walk leaves. */
typedef void (*call_tree_leave)(void *user, const call_node *node);

/**
 * A step of a walk over the whole tree, parents first and without recursion, which begins with the root's first child:
 * the node after this one, or #CALL_TREE_ROOT at the end. Tells of each node that the walk has left with all below it.
 */
uint32_t call_tree_next(const call_tree *tree, uint32_t node, call_tree_leave leave, void *user);

#endif
