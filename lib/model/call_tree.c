/* SPDX-License-Identifier: MIT */
#include "model/call_tree.h"

#include "base/array.h"
#include "base/hash.h"

#include <string.h>

#define FIRST_PLACE_COUNT 256

static size_t first_place(const call_tree *tree, uint32_t parent, uint32_t method)
{
	return hash_place(tree->seed, (uint64_t)parent << 32 | method, tree->shift);
}

/* Calls and compilations of a method begin at the same place: there are few of the latter. */
static void put_in_place(call_tree *tree, uint32_t node)
{
	size_t i = first_place(tree, tree->nodes[node].parent, tree->nodes[node].method);

	while (tree->places[i] != 0)
		i = (i + 1) & (tree->place_count - 1);
	tree->places[i] = node;
}

/* Keeps at most half of the places taken. */
static int reserve_places(call_tree *tree, size_t node_count)
{
	size_t place_count = tree->place_count;
	uint32_t *places;
	size_t size;

	if (node_count <= place_count / 2)
		return 1;
	if (!checked_multiply(place_count, 2, &place_count) || !checked_multiply(place_count, sizeof(*places), &size))
		return 0;
	places = allocator_allocate_zeroed(&tree->allocator, size);
	if (places == NULL)
		return 0;
	allocator_release(&tree->allocator, tree->places, tree->place_count * sizeof(*tree->places));
	tree->places = places;
	tree->place_count = place_count;
	tree->shift--;
	for (size_t i = 1; i < tree->count; i++)
		put_in_place(tree, (uint32_t)i);
	return 1;
}

int call_tree_init(call_tree *tree, const mprof_allocator *allocator)
{
	memset(tree, 0, sizeof(*tree));
	tree->allocator = *allocator;
	tree->seed = hash_seed();
	tree->places = allocator_allocate_zeroed(allocator, FIRST_PLACE_COUNT * sizeof(*tree->places));
	if (tree->places == NULL)
		return 0;
	tree->place_count = FIRST_PLACE_COUNT;
	tree->shift = 56;
	call_tree_append(tree, CALL_TREE_ROOT, 0);
	return tree->count == 1;
}

void call_tree_destroy(call_tree *tree)
{
	allocator_release(&tree->allocator, tree->nodes, tree->capacity * sizeof(*tree->nodes));
	allocator_release(&tree->allocator, tree->places, tree->place_count * sizeof(*tree->places));
	tree->nodes = NULL;
	tree->places = NULL;
	tree->count = 0;
}

uint32_t call_tree_append(call_tree *tree, uint32_t parent, uint32_t method)
{
	void *nodes = tree->nodes;
	call_node *node;

	if (tree->count >= UINT32_MAX ||
	    !array_reserve(&tree->allocator, &nodes, &tree->capacity, tree->count + 1, sizeof(*tree->nodes)))
		return CALL_TREE_ROOT;
	tree->nodes = nodes;
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
	for (size_t i = first_place(tree, parent, method);; i = (i + 1) & (tree->place_count - 1)) {
		uint32_t number = tree->places[i];
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

	if (!reserve_places(tree, tree->count + 1))
		return CALL_TREE_ROOT;
	node = call_tree_append(tree, parent, method);
	if (node == CALL_TREE_ROOT)
		return CALL_TREE_ROOT;
	put_in_place(tree, node);
	tree->nodes[node].is_compiling = is_compiling;
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

void call_tree_sum(call_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		tree->nodes[i].total = i == CALL_TREE_ROOT ? 0 : tree->nodes[i].self;
	/* A child comes after its parent. */
	for (size_t i = tree->count; i-- > 1;)
		tree->nodes[tree->nodes[i].parent].total += tree->nodes[i].total;
}

uint32_t call_tree_next(const call_tree *tree, uint32_t node, call_tree_leave leave, void *user)
{
	uint32_t next = tree->nodes[node].first_child;

	while (next == CALL_TREE_ROOT && node != CALL_TREE_ROOT) {
		leave(user, &tree->nodes[node]);
		next = tree->nodes[node].next_sibling;
		node = tree->nodes[node].parent;
	}
	return next;
}
