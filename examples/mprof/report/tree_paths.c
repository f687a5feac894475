/* SPDX-License-Identifier: MIT */
/* Walks a tree, the heaviest branches first, without recursion. */
#include "report/tree_paths.h"

#include <stdlib.h>
#include <string.h>

/* A node that was entered, and its children that are still to be visited. */
typedef struct level {
	uint32_t node;
	hidden_branches hidden;
	tree_node *children; /**< Heaviest first. */
	size_t count;
	size_t next;
} level;

static int compare_by_weight(const void *left, const void *right)
{
	const tree_node *a = left;
	const tree_node *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->tiebreak != b->tiebreak)
		return a->tiebreak < b->tiebreak ? 1 : -1;
	return (a->name > b->name) - (a->name < b->name);
}

static int open_level(level *opened, const tree_visitor *visitor, const tree_node *node, uint64_t min_weight,
		      int shows_children)
{
	size_t capacity = 0;

	memset(opened, 0, sizeof(*opened));
	opened->node = node->node;
	for (uint32_t next = node->first_child; next != 0;) {
		tree_node child;

		visitor->get(visitor->user, next, &child);
		next = child.next_sibling;
		if (!shows_children || child.weight < min_weight) {
			opened->hidden.count++;
			opened->hidden.weight += child.weight;
			continue;
		}
		if (opened->count == capacity) {
			size_t larger = capacity > 0 ? capacity * 2 : 8;
			tree_node *children = realloc(opened->children, larger * sizeof(*children));

			if (children == NULL)
				return 0;
			opened->children = children;
			capacity = larger;
		}
		opened->children[opened->count++] = child;
	}
	if (opened->count > 1)
		qsort(opened->children, opened->count, sizeof(*opened->children), compare_by_weight);
	return 1;
}

/* levels[0] belongs to the root; the capacity is max_depth + 1. */
static int walk_levels(const tree_visitor *visitor, uint64_t min_weight, size_t max_depth, level *levels)
{
	size_t depth = 0;
	tree_node root;
	int is_done;

	visitor->get(visitor->user, 0, &root);
	is_done = open_level(&levels[0], visitor, &root, min_weight, max_depth > 0);
	while (is_done) {
		level *top = &levels[depth];

		if (visitor->is_over != NULL && *visitor->is_over)
			break;
		if (top->next < top->count) {
			const tree_node *child = &top->children[top->next++];

			visitor->enter(visitor->user, child->node, depth);
			depth++;
			is_done = open_level(&levels[depth], visitor, child, min_weight, depth < max_depth);
			continue;
		}
		if (depth == 0)
			break;
		visitor->leave(visitor->user, top->node, &top->hidden, depth - 1);
		free(top->children);
		top->children = NULL;
		depth--;
	}
	for (size_t i = 0; i <= depth; i++)
		free(levels[i].children);
	return is_done;
}

int tree_paths_walk(const tree_visitor *visitor, uint64_t min_weight, size_t max_depth)
{
	level *levels = calloc(max_depth + 1, sizeof(*levels));
	int is_done;

	if (levels == NULL)
		return 0;
	is_done = walk_levels(visitor, min_weight, max_depth, levels);
	free(levels);
	return is_done;
}
