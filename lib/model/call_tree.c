/* SPDX-License-Identifier: MIT */
/* Finds and adds the nodes of a call tree, and visits those that changed. */
#include "model/call_tree.h"

#include "base/array.h"

#include <string.h>

typedef struct call_key {
	uint32_t parent;
	uint32_t method;
	uint32_t is_compiling;
} call_key;

/* Calls and compilations of a method have the same hash: there are few compilations. */
static inline uint64_t hash_of_call(const call_tree *tree, uint32_t parent, uint32_t method)
{
	return hash_key(tree->children.seed, (uint64_t)parent << 32 | method);
}

static uint64_t hash_of_node(const void *owner, const void *slot)
{
	const call_tree *tree = owner;
	const call_node *node = &tree->nodes[*(const uint32_t *)slot];

	return hash_of_call(tree, node->parent, node->method);
}

/* An empty slot has the number of the root, which is not a child. */
static inline int is_node_of(const void *owner, const void *slot, const void *searched)
{
	const uint32_t number = *(const uint32_t *)slot;
	const call_node *node = &((const call_tree *)owner)->nodes[number];
	const call_key *key = searched;

	return number != CALL_TREE_ROOT && node->method == key->method && node->parent == key->parent &&
	       node->is_compiling == key->is_compiling;
}

static const hash_index_type child_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 256,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = hash_of_node,
};

int call_tree_init(call_tree *tree, const mprof_allocator *allocator)
{
	memset(tree, 0, sizeof(*tree));
	tree->allocator = *allocator;
	hash_index_init(&tree->children, allocator);
	call_tree_append(tree, CALL_TREE_ROOT, 0);
	if (tree->count == 0)
		return 0;
	/* All changed nodes are below it. */
	tree->nodes[CALL_TREE_ROOT].is_changed = 1;
	return 1;
}

void call_tree_destroy(call_tree *tree)
{
	allocator_release(&tree->allocator, tree->nodes, tree->capacity * sizeof(*tree->nodes));
	allocator_release(&tree->allocator, tree->shown, tree->shown_capacity * sizeof(*tree->shown));
	hash_index_destroy(&tree->children, &child_slots);
	tree->nodes = NULL;
	tree->shown = NULL;
	tree->count = 0;
}

uint32_t call_tree_append(call_tree *tree, uint32_t parent, uint32_t method)
{
	void *nodes = tree->nodes;
	void *shown = tree->shown;
	call_node *node;

	if (tree->count >= UINT32_MAX ||
	    !array_reserve(&tree->allocator, &nodes, &tree->capacity, tree->count + 1, sizeof(*tree->nodes)))
		return CALL_TREE_ROOT;
	tree->nodes = nodes;
	/* Reserved here, so that showing cannot fail. */
	if (!array_reserve(&tree->allocator, &shown, &tree->shown_capacity, tree->count + 1, sizeof(*tree->shown)))
		return CALL_TREE_ROOT;
	tree->shown = shown;
	memset(&tree->shown[tree->count], 0, sizeof(*tree->shown));
	node = &tree->nodes[tree->count];
	memset(node, 0, sizeof(*node));
	node->method = method;
	node->parent = parent;
	if (tree->count != CALL_TREE_ROOT)
		node->depth = tree->nodes[parent].depth + 1;
	return (uint32_t)tree->count++;
}

/* #CALL_TREE_ROOT if none. */
static inline uint32_t find_child(const call_tree *tree, const call_key *key)
{
	const uint32_t *slot = hash_index_find(&tree->children, &child_slots,
					       hash_of_call(tree, key->parent, key->method), is_node_of, tree, key);

	return slot != NULL ? *slot : CALL_TREE_ROOT;
}

static uint32_t add_child(call_tree *tree, const call_key *key)
{
	uint32_t *slot;
	uint32_t node;

	if (!hash_index_reserve(&tree->children, &child_slots, tree))
		return CALL_TREE_ROOT;
	node = call_tree_append(tree, key->parent, key->method);
	if (node == CALL_TREE_ROOT)
		return CALL_TREE_ROOT;
	slot = hash_index_take_slot(&tree->children, &child_slots, hash_of_call(tree, key->parent, key->method));
	*slot = node;
	tree->nodes[node].is_compiling = (uint16_t)key->is_compiling;
	tree->nodes[node].next_sibling = tree->nodes[key->parent].first_child;
	tree->nodes[key->parent].first_child = node;
	return node;
}

uint32_t call_tree_child(call_tree *tree, uint32_t parent, uint32_t method)
{
	const call_key key = {parent, method, 0};
	uint32_t node = find_child(tree, &key);

	if (node == CALL_TREE_ROOT)
		node = add_child(tree, &key);
	if (node != CALL_TREE_ROOT)
		tree->latest[method % CALL_TREE_LATEST] = node;
	return node;
}

uint32_t call_tree_compilation(call_tree *tree, uint32_t parent, uint32_t method)
{
	const call_key key = {parent, method, 1};
	uint32_t node = find_child(tree, &key);

	return node != CALL_TREE_ROOT ? node : add_child(tree, &key);
}

void call_tree_link_changed(call_tree *tree, uint32_t node)
{
	while (!tree->nodes[node].is_changed) {
		uint32_t parent = tree->nodes[node].parent;

		tree->nodes[node].is_changed = 1;
		tree->shown[node].next_changed = tree->shown[parent].first_changed;
		tree->shown[parent].first_changed = node;
		node = parent;
	}
}

uint32_t call_tree_next_changed(call_tree *tree, uint32_t node, call_tree_leave leave, void *user)
{
	uint32_t next = tree->shown[node].first_changed;

	tree->visits++;
	while (next == CALL_TREE_ROOT && node != CALL_TREE_ROOT) {
		uint32_t left = node;

		/* The leave function may unlink it. */
		next = tree->shown[node].next_changed;
		node = tree->nodes[node].parent;
		if (leave != NULL)
			leave(user, tree, left);
	}
	return next;
}

static void add_to_parent(void *user, call_tree *tree, uint32_t node)
{
	(void)user;
	tree->nodes[node].total += tree->nodes[node].self;
	tree->nodes[tree->nodes[node].parent].total += tree->nodes[node].total;
}

void call_tree_sum(call_tree *tree)
{
	uint32_t node = CALL_TREE_ROOT;

	/* Starts from 0, so that the sums are right also if an earlier call ended early because memory was refused. */
	do {
		tree->nodes[node].total = 0;
		node = call_tree_next_changed(tree, node, add_to_parent, NULL);
	} while (node != CALL_TREE_ROOT);
}

void call_tree_show(call_tree *tree, uint32_t number)
{
	call_node *node = &tree->nodes[number];
	shown_call_stats *shown = &tree->shown[number];

	shown->calls += node->calls;
	shown->self += node->self;
	shown->total += node->total;
	shown->allocations += node->allocations;
	shown->bytes += node->bytes;
	shown->first_changed = CALL_TREE_ROOT;
	shown->next_changed = CALL_TREE_ROOT;
	node->calls = 0;
	node->self = 0;
	node->total = 0;
	node->allocations = 0;
	node->bytes = 0;
	node->is_changed = number == CALL_TREE_ROOT;
}
