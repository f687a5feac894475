/* SPDX-License-Identifier: MIT */
/**
 * \file model/call_tree.h
 * \brief Methods as reached by one path: a tree that all threads share.
 *
 * Nodes gather, and what they gathered since is added to the figures that are shown by who finishes the profile. Nodes
 * that gathered anything since are marked, with all that they are below, and linked into a tree of their own, so that
 * only they are visited: call_tree_sum(), call_tree_next_changed(), call_tree_show().
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
	uint16_t is_compiling; /**< 1: the method is being compiled, not run. */
	uint16_t is_changed;   /**< 1: linked into the tree of changed nodes, as are all nodes above it. */
	uint64_t calls;        /**< Since the last call_tree_show(), as all that follows. */
	uint64_t self;         /**< In counters. */
	uint64_t total;        /**< In counters; as of the last call_tree_sum(). */
	uint64_t allocations;
	uint64_t bytes; /**< Of the objects allocated. */
} call_node;

/** What a node shows, as of the last call_tree_show(), and its links in the tree of changed nodes. */
typedef struct call_figures {
	uint64_t calls;
	uint64_t self;
	uint64_t total;
	uint64_t allocations;
	uint64_t bytes;
	uint32_t first_changed; /**< A changed child. */
	uint32_t next_changed;  /**< Another changed child of its parent. */
} call_figures;

typedef struct call_tree {
	mprof_allocator allocator;
	call_node *nodes;
	size_t count;
	size_t capacity;
	call_figures *shown; /**< By node. Not part of the nodes, which fill a cache line each. */
	size_t shown_capacity;
	uint64_t visits;    /**< Steps that finishing took over changed nodes, in all. */
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

/** As call_tree_child() where that node is the method's latest one and is marked as changed, else #CALL_TREE_ROOT. */
static inline uint32_t call_tree_latest(const call_tree *tree, uint32_t parent, uint32_t method)
{
	uint32_t number = tree->latest[method % CALL_TREE_LATEST];
	const call_node *node = &tree->nodes[number];

	return node->method == method && node->parent == parent && node->is_changed ? number : CALL_TREE_ROOT;
}

/** Links a node that is not marked, and those above it that are not, into the tree of changed nodes. */
void call_tree_link_changed(call_tree *tree, uint32_t node);

/** Marks a node as changed: before it gathers anything, unless it is known to be marked. */
static inline void call_tree_mark_changed(call_tree *tree, uint32_t node)
{
	if (__builtin_expect(!tree->nodes[node].is_changed, 0))
		call_tree_link_changed(tree, node);
}

/** Computes call_node::total of all changed nodes. */
void call_tree_sum(call_tree *tree);

/** Called for a node that a walk leaves. */
typedef void (*call_tree_leave)(void *user, call_tree *tree, uint32_t node);

/**
 * A step of a walk over the changed nodes, parents first and without recursion, which begins with #CALL_TREE_ROOT: the
 * node after this one, or #CALL_TREE_ROOT at the end. Calls \p leave for each node that the walk has left with all below
 * it, but the root; the node may be unlinked then. \p leave may be NULL.
 */
uint32_t call_tree_next_changed(call_tree *tree, uint32_t node, call_tree_leave leave, void *user);

/** Adds what a node has gathered to what it shows, and unlinks it. For a walk to call as it leaves it, or at its end. */
void call_tree_show(call_tree *tree, uint32_t node);

#endif
