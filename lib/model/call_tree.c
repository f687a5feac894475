/* SPDX-License-Identifier: MIT */
#include "model/call_tree.h"

#include "base/array.h"
#include "base/hash.h"

#include <string.h>

#define FIRST_PLACE_COUNT 256

static size_t first_slot(const call_tree *tree, uint32_t parent, uint32_t method)
{
	return hash_place(tree->seed, (uint64_t)parent << 32 | method, tree->shift);
}

/* Calls and compilations of a method have the same hash: there are few compilations. */
static void put_in_slot(call_tree *tree, uint32_t node)
{
	size_t i = first_slot(tree, tree->nodes[node].parent, tree->nodes[node].method);

	while (tree->slots[i] != 0)
		i = (i + 1) & (tree->slot_count - 1);
	tree->slots[i] = node;
}

/* Keeps at most half of the slots occupied. */
static int reserve_slots(call_tree *tree, size_t node_count)
{
	size_t slot_count = tree->slot_count;
	uint32_t *slots;
	size_t size;

	if (node_count <= slot_count / 2)
		return 1;
	if (!checked_multiply(slot_count, 2, &slot_count) || !checked_multiply(slot_count, sizeof(*slots), &size))
		return 0;
	slots = allocator_allocate_zeroed(&tree->allocator, size);
	if (slots == NULL)
		return 0;
	allocator_release(&tree->allocator, tree->slots, tree->slot_count * sizeof(*tree->slots));
	tree->slots = slots;
	tree->slot_count = slot_count;
	tree->shift--;
	for (size_t i = 1; i < tree->count; i++)
		put_in_slot(tree, (uint32_t)i);
	return 1;
}

int call_tree_init(call_tree *tree, const mprof_allocator *allocator)
{
	memset(tree, 0, sizeof(*tree));
	tree->allocator = *allocator;
	tree->seed = hash_seed();
	tree->slots = allocator_allocate_zeroed(allocator, FIRST_PLACE_COUNT * sizeof(*tree->slots));
	if (tree->slots == NULL)
		return 0;
	tree->slot_count = FIRST_PLACE_COUNT;
	tree->shift = 56;
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
	allocator_release(&tree->allocator, tree->slots, tree->slot_count * sizeof(*tree->slots));
	tree->nodes = NULL;
	tree->shown = NULL;
	tree->slots = NULL;
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

/* #CALL_TREE_ROOT if there is none. */
static uint32_t find_child(const call_tree *tree, uint32_t parent, uint32_t method, uint32_t is_compiling)
{
	for (size_t i = first_slot(tree, parent, method);; i = (i + 1) & (tree->slot_count - 1)) {
		uint32_t number = tree->slots[i];
		const call_node *node = &tree->nodes[number];

		if (number == 0)
			return CALL_TREE_ROOT;
		if (node->method == method && node->parent == parent && node->is_compiling == is_compiling)
			return number;
	}
}

static uint32_t add_child(call_tree *tree, uint32_t parent, uint32_t method, uint32_t is_compiling)
{
	uint32_t node;

	if (!reserve_slots(tree, tree->count + 1))
		return CALL_TREE_ROOT;
	node = call_tree_append(tree, parent, method);
	if (node == CALL_TREE_ROOT)
		return CALL_TREE_ROOT;
	put_in_slot(tree, node);
	tree->nodes[node].is_compiling = (uint16_t)is_compiling;
	tree->nodes[node].next_sibling = tree->nodes[parent].first_child;
	tree->nodes[parent].first_child = node;
	return node;
}

uint32_t call_tree_child(call_tree *tree, uint32_t parent, uint32_t method)
{
	uint32_t node = find_child(tree, parent, method, 0);

	if (node == CALL_TREE_ROOT)
		node = add_child(tree, parent, method, 0);
	if (node != CALL_TREE_ROOT)
		tree->latest[method % CALL_TREE_LATEST] = node;
	return node;
}

uint32_t call_tree_compilation(call_tree *tree, uint32_t parent, uint32_t method)
{
	uint32_t node = find_child(tree, parent, method, 1);

	return node != CALL_TREE_ROOT ? node : add_child(tree, parent, method, 1);
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
