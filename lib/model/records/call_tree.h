/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/call_tree.h
 * \brief Methods as reached by one call path: a tree that all threads share.
 *
 * Nodes accumulate sums. Finishing the profile adds the sums accumulated since the last time to those that are shown.
 * Nodes with new sums are marked, with all their ancestors, and linked into a tree of changed nodes, so that only they
 * are visited: call_tree_sum(), call_tree_next_changed(), call_tree_show(). The first two may be stopped and repeated.
 */
#ifndef MODEL_RECORDS_CALL_TREE_H
#define MODEL_RECORDS_CALL_TREE_H

#include "base/hash_map.h"
#include "base/progress.h"

/** The root, which is no method. No other node has number 0, so 0 means "none" in links. */
#define CALL_TREE_ROOT 0

/** Entries of the cache of latest nodes. A power of two. */
#define CALL_TREE_LATEST 1024

typedef struct call_node {
	uint32_t method;
	uint32_t parent; /**< Always smaller than the number of the node itself. */
	uint32_t first_child;
	uint32_t next_sibling;
	uint32_t depth;        /**< Number of frames of a stack with this node on top. */
	uint16_t is_compiling; /**< 1: the method is being compiled, not executed. */
	uint16_t is_changed;   /**< 1: linked into the tree of changed nodes, as are all its ancestors. */
	uint64_t calls;        /**< Since the last call_tree_show(), like all members below. */
	uint64_t self;         /**< In counters. */
	uint64_t total;        /**< In counters; as of the last call_tree_sum(). */
	uint64_t allocations;
	uint64_t bytes; /**< Bytes in the objects allocated. */
} call_node;

/** The sums that a node shows, as of the last call_tree_show(), and its links in the tree of changed nodes. */
typedef struct shown_call_stats {
	uint64_t calls;
	uint64_t self;
	uint64_t total;
	uint64_t allocations;
	uint64_t bytes;
	uint32_t first_changed; /**< A changed child. */
	uint32_t next_changed;  /**< The next changed child of its parent. */
} shown_call_stats;

typedef struct call_tree {
	mprof_allocator allocator;
	call_node *nodes;
	size_t count;
	size_t capacity;
	shown_call_stats *shown; /**< By node. Not part of the nodes, each of which fills a cache line. */
	size_t shown_capacity;
	size_t changed_count; /**< Nodes marked as changed, without the root. */
	uint64_t visits;      /**< Total number of steps over changed nodes while finishing. */
	hash_index children;  /**< Nodes by parent and method. */
	/**
	 * By the low bits of a method: the node that call_tree_child() returned last, or #CALL_TREE_ROOT. It is usually
	 * the next one, too, and finding it does not depend on the parent.
	 */
	uint32_t latest[CALL_TREE_LATEST];
} call_tree;

/**
 * Creates a tree that has only the root. Returns 0 if there is no memory; call_tree_destroy() may be called in that
 * case, too.
 */
int call_tree_init(call_tree *tree, const mprof_allocator *allocator);
void call_tree_destroy(call_tree *tree);

/**
 * The child of \p parent for \p method, added if missing, which may move the nodes. #CALL_TREE_ROOT if there is
 * no memory; nothing is changed then.
 */
uint32_t call_tree_child(call_tree *tree, uint32_t parent, uint32_t method);

/** The child for a compilation of \p method, which differs from that for its calls. */
uint32_t call_tree_compilation(call_tree *tree, uint32_t parent, uint32_t method);

/** Adds a node that call_tree_child() does not find. #CALL_TREE_ROOT if there is no memory; nothing is changed then. */
uint32_t call_tree_append(call_tree *tree, uint32_t parent, uint32_t method);

/** Returns \p number if it is what call_tree_child() would return and is marked as changed, else #CALL_TREE_ROOT. */
static inline uint32_t call_tree_known(const call_tree *tree, uint32_t number, uint32_t parent, uint32_t method)
{
	const call_node *node = &tree->nodes[number];

	return node->method == method && node->parent == parent && node->is_changed ? number : CALL_TREE_ROOT;
}

/** As call_tree_child() if that node is the method's latest one and is marked as changed, else #CALL_TREE_ROOT. */
static inline uint32_t call_tree_latest(const call_tree *tree, uint32_t parent, uint32_t method)
{
	return call_tree_known(tree, tree->latest[method % CALL_TREE_LATEST], parent, method);
}

/** Links an unmarked node, and its unmarked ancestors, into the tree of changed nodes. */
void call_tree_link_changed(call_tree *tree, uint32_t node);

/** Marks a node as changed. Call it before the sums of the node change, unless the node is known to be marked. */
static inline void call_tree_mark_changed(call_tree *tree, uint32_t node)
{
	if (__builtin_expect(!tree->nodes[node].is_changed, 0))
		call_tree_link_changed(tree, node);
}

/** The number of steps of call_tree_show() and of a walk over the changed nodes; call_tree_sum() has twice as many. */
uint64_t call_tree_steps(const call_tree *tree);

/** Computes call_node::total of all changed nodes. Returns 0 if it was stopped. */
int call_tree_sum(call_tree *tree, progress *going);

/** Called for a node after a walk has visited all nodes below it. */
typedef void (*call_tree_leave)(void *user, call_tree *tree, uint32_t node);

/**
 * A step of a walk over the changed nodes, parents first and without recursion, which starts with #CALL_TREE_ROOT:
 * returns the next node, or #CALL_TREE_ROOT at the end. Calls \p leave for each node, except the root, after all nodes
 * below it were visited.
 */
uint32_t call_tree_next_changed(call_tree *tree, uint32_t node, call_tree_leave leave, void *user);

/** Adds the sums of all changed nodes to those that they show, and unlinks them. Nothing stops it halfway. */
void call_tree_show(call_tree *tree, progress *going);

#endif
