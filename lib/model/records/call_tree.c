/* SPDX-License-Identifier: MIT */
/* Finds and adds the nodes of a call tree, and visits those that changed. */
#include "model/records/call_tree.h"

#include "base/allocator.h"

#include <string.h>

typedef struct call_key {
	uint32_t parent;
	uint32_t method;
	uint32_t is_compiling;
	uint32_t hash; /* As in a slot. */
} call_key;

/*
 * A slot of the hash table. With millions of nodes, most accesses to a node are cache misses. As the hash is in the
 * slot, a search reads no nodes but the one that it finds, and a growing table reads none.
 */
typedef struct child_slot {
	uint32_t hash; /* The upper half; the lower one is 0. */
	uint32_t node; /* An empty slot has the number of the root, which is not a child. */
} child_slot;

/* Calls and compilations of a method have the same hash: there are few compilations. */
static inline uint64_t hash_of_call(const call_tree *tree, uint32_t parent, uint32_t method)
{
	return hash_key(tree->children.seed, (uint64_t)parent << 32 | method) & ~(uint64_t)UINT32_MAX;
}

static uint64_t hash_of_slot(const void *owner, const void *slot)
{
	(void)owner;
	return (uint64_t)((const child_slot *)slot)->hash << 32;
}

static inline int has_node(const void *slot)
{
	return ((const child_slot *)slot)->node != CALL_TREE_ROOT;
}

static inline int is_node_of(const void *owner, const void *slot, const void *searched)
{
	const child_slot *child = slot;
	const call_node *node = &((const call_tree *)owner)->nodes[child->node];
	const call_key *key = searched;

	return child->hash == key->hash && child->node != CALL_TREE_ROOT && node->method == key->method &&
	       node->parent == key->parent && node->is_compiling == key->is_compiling;
}

static const hash_index_type child_slots = {
	.size = sizeof(child_slot),
	.first_capacity = 256,
	.used_eighths = 6,
	.is_used = has_node,
	.hash = hash_of_slot,
};

static inline call_key key_of_call(const call_tree *tree, uint32_t parent, uint32_t method, uint32_t is_compiling)
{
	const call_key key = {parent, method, is_compiling, (uint32_t)(hash_of_call(tree, parent, method) >> 32)};

	return key;
}

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
	const child_slot *slot =
		hash_index_find(&tree->children, &child_slots, (uint64_t)key->hash << 32, is_node_of, tree, key);

	return slot != NULL ? slot->node : CALL_TREE_ROOT;
}

static uint32_t add_child(call_tree *tree, const call_key *key)
{
	child_slot *slot;
	uint32_t node;

	if (!hash_index_reserve(&tree->children, &child_slots, tree))
		return CALL_TREE_ROOT;
	node = call_tree_append(tree, key->parent, key->method);
	if (node == CALL_TREE_ROOT)
		return CALL_TREE_ROOT;
	slot = hash_index_take_slot(&tree->children, &child_slots, (uint64_t)key->hash << 32);
	slot->hash = key->hash;
	slot->node = node;
	tree->nodes[node].is_compiling = (uint16_t)key->is_compiling;
	tree->nodes[node].next_sibling = tree->nodes[key->parent].first_child;
	tree->nodes[key->parent].first_child = node;
	return node;
}

uint32_t call_tree_child(call_tree *tree, uint32_t parent, uint32_t method)
{
	const call_key key = key_of_call(tree, parent, method, 0);
	uint32_t node = find_child(tree, &key);

	if (node == CALL_TREE_ROOT)
		node = add_child(tree, &key);
	if (node != CALL_TREE_ROOT)
		tree->latest[method % CALL_TREE_LATEST] = node;
	return node;
}

uint32_t call_tree_compilation(call_tree *tree, uint32_t parent, uint32_t method)
{
	const call_key key = key_of_call(tree, parent, method, 1);
	uint32_t node = find_child(tree, &key);

	return node != CALL_TREE_ROOT ? node : add_child(tree, &key);
}

void call_tree_link_changed(call_tree *tree, uint32_t node)
{
	while (!tree->nodes[node].is_changed) {
		uint32_t parent = tree->nodes[node].parent;

		tree->nodes[node].is_changed = 1;
		tree->changed_count++;
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
		uint32_t remaining = node;

		/* The leave function may unlink it. */
		next = tree->shown[node].next_changed;
		node = tree->nodes[node].parent;
		leave(user, tree, remaining);
	}
	return next;
}

/*
 * Whether all nodes are visited by number: a parent has a smaller number than its children. Memory is read in its
 * order, which is faster than following links unless few nodes have changed.
 */
static int is_by_number(const call_tree *tree)
{
	return tree->changed_count > tree->count / 4;
}

uint64_t call_tree_steps(const call_tree *tree)
{
	return is_by_number(tree) ? tree->count : tree->changed_count + 1;
}

static int sum_by_number(call_tree *tree, progress *going)
{
	call_node *nodes = tree->nodes;

	for (size_t i = 0; i < tree->count; i++) {
		if (!progress_step(going))
			return 0;
		nodes[i].total = nodes[i].is_changed ? nodes[i].self : 0;
	}
	/* The root is no method, so its time is not part of a total. */
	nodes[CALL_TREE_ROOT].total = 0;
	for (size_t i = tree->count - 1; i > CALL_TREE_ROOT; i--) {
		if (!progress_step(going))
			return 0;
		if (nodes[i].is_changed)
			nodes[nodes[i].parent].total += nodes[i].total;
	}
	tree->visits += tree->changed_count + 1;
	return 1;
}

static void add_to_parent(void *user, call_tree *tree, uint32_t node)
{
	(void)user;
	tree->nodes[node].total += tree->nodes[node].self;
	tree->nodes[tree->nodes[node].parent].total += tree->nodes[node].total;
}

int call_tree_sum(call_tree *tree, progress *going)
{
	uint32_t node = CALL_TREE_ROOT;

	if (is_by_number(tree))
		return sum_by_number(tree, going);
	/* Starts from 0, so that the sums are right also if an earlier call ended early. */
	do {
		if (!progress_step(going))
			return 0;
		tree->nodes[node].total = 0;
		node = call_tree_next_changed(tree, node, add_to_parent, NULL);
	} while (node != CALL_TREE_ROOT);
	return 1;
}

static void show_node(void *user, call_tree *tree, uint32_t number)
{
	call_node *node = &tree->nodes[number];
	shown_call_stats *shown = &tree->shown[number];

	(void)user;
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

static void show_by_number(call_tree *tree, progress *going)
{
	for (size_t i = CALL_TREE_ROOT + 1; i < tree->count; i++) {
		(void)progress_step(going);
		if (tree->nodes[i].is_changed)
			show_node(NULL, tree, (uint32_t)i);
	}
	tree->visits += tree->changed_count + 1;
}

void call_tree_show(call_tree *tree, progress *going)
{
	uint32_t node = CALL_TREE_ROOT;

	if (is_by_number(tree)) {
		show_by_number(tree, going);
	} else {
		do {
			(void)progress_step(going);
			node = call_tree_next_changed(tree, node, show_node, NULL);
		} while (node != CALL_TREE_ROOT);
	}
	show_node(NULL, tree, CALL_TREE_ROOT);
	tree->changed_count = 0;
}
