/* SPDX-License-Identifier: MIT */
/* Walks trees, prints them as text or JSON, and limits their size in bounded documents. */
#include "report/tree.h"

#include "common/output.h"
#include "report/parts.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Branches that were left out. */
typedef struct hidden_branches {
	uint64_t count;
	uint64_t weight;
} hidden_branches;

typedef struct tree_visitor {
	/* Fills in all fields of \p found for a node. */
	void (*get)(void *user, uint32_t node, tree_node *found);
	/* Called when a node is entered; its descendants follow. \p depth is 0 for the children of the root. */
	void (*enter)(void *user, uint32_t node, size_t depth);
	/* Called after all descendants of a node. */
	void (*leave)(void *user, uint32_t node, const hidden_branches *hidden, size_t depth);
	void *user;
	/* The walk ends early when the value is not 0; may be NULL. */
	const int *is_over;
} tree_visitor;

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

/*
 * Walks the tree without nodes below min_weight, and without those from max_depth on. Returns 0 if out of memory.
 */
static int walk_paths(const tree_visitor *visitor, uint64_t min_weight, size_t max_depth)
{
	level *levels = calloc(max_depth + 1, sizeof(*levels));
	int is_done;

	if (levels == NULL)
		return 0;
	is_done = walk_levels(visitor, min_weight, max_depth, levels);
	free(levels);
	return is_done;
}

/* Estimated size of a node in JSON without its name. */
#define NODE_SIZE 140

/* State of a walk. */
typedef struct tree_walk {
	const log_report *report;
	const report_tree *tree;
	json_writer *json; /* For JSON. */
	uint64_t room;     /* While the size of the output is estimated: bytes that are left. */
	int is_over;       /* There is no room left. */
} tree_walk;

static uint64_t least_weight(const tree_walk *walk, uint64_t share)
{
	return report_least(share, walk->tree->whole(walk->report));
}

static void get_node(void *user, uint32_t node, tree_node *found)
{
	const tree_walk *walk = user;

	walk->tree->get(walk->report, node, found);
}

static void walk_tree(tree_walk *walk, tree_visitor *visitor, uint64_t share)
{
	visitor->get = get_node;
	visitor->user = walk;
	visitor->is_over = &walk->is_over;
	if (!walk_paths(visitor, least_weight(walk, share), (size_t)walk->report->options.depth))
		output_out_of_memory();
}

/* Prints the columns that nodes and hidden branches share. */
static void print_weight(const tree_walk *walk, uint64_t weight)
{
	char percent[TEXT_NUMBER_SIZE];
	char text[TEXT_NUMBER_SIZE];

	printf("  %8s %10s", text_percent(percent, weight, walk->tree->whole(walk->report)),
	       walk->tree->format(text, weight));
}

static void enter_text(void *user, uint32_t node, size_t depth)
{
	const tree_walk *walk = user;
	tree_node found;

	get_node(user, node, &found);
	print_weight(walk, found.weight);
	walk->tree->print_columns(walk->report, node);
	printf("  %*s", (int)depth * 2, "");
	walk->tree->print_name(walk->report, node);
}

static void leave_text(void *user, uint32_t node, const hidden_branches *hidden, size_t depth)
{
	const tree_walk *walk = user;

	(void)node;
	/* Hidden small branches are expected; a note is printed only if the depth limit hides much. */
	if (hidden->weight == 0 || hidden->weight < least_weight(walk, walk->report->options.min_share))
		return;
	print_weight(walk, hidden->weight);
	printf("%*s  %*s(%" PRIu64 " more)\n", (int)strlen(walk->tree->columns), "", (int)(depth + 1) * 2, "",
	       hidden->count);
}

void report_tree_text(const log_report *report, const report_tree *tree)
{
	tree_walk walk = {.report = report, .tree = tree};
	tree_visitor visitor = {.enter = enter_text, .leave = leave_text};
	tree_node root;

	if (tree->is_empty(report))
		return;
	/* The filters of frames may leave nothing. */
	tree->get(report, 0, &root);
	if (root.first_child == 0)
		return;
	report_title(report, tree->title, 0, 0, tree->table);
	if (tree->print_note != NULL)
		tree->print_note(report);
	printf("  %8s %10s%s  %s\n", "", "total", tree->columns, tree->subject);
	walk_tree(&walk, &visitor, report->options.min_share);
}

static void enter_json(void *user, uint32_t node, size_t depth)
{
	const tree_walk *walk = user;

	(void)depth;
	json_begin_object(walk->json, NULL);
	walk->tree->print_fields(walk->report, walk->json, node);
	json_begin_array(walk->json, "children");
}

static void leave_json(void *user, uint32_t node, const hidden_branches *hidden, size_t depth)
{
	const tree_walk *walk = user;

	(void)node;
	(void)depth;
	json_end_array(walk->json);
	json_unsigned(walk->json, "hidden_children", hidden->count);
	json_unsigned(walk->json, walk->tree->hidden_key, hidden->weight);
	json_end_object(walk->json);
}

static void enter_measured(void *user, uint32_t node, size_t depth)
{
	tree_walk *walk = user;
	const char *name = walk->tree->name(walk->report, node);

	(void)depth;
	if (!report_takes_room(&walk->room, NODE_SIZE + (name != NULL ? strlen(name) : 0)))
		walk->is_over = 1;
}

static void leave_measured(void *user, uint32_t node, const hidden_branches *hidden, size_t depth)
{
	(void)user;
	(void)node;
	(void)hidden;
	(void)depth;
}

static int tree_fits(const log_report *report, const report_tree *tree, uint64_t share)
{
	tree_walk walk = {.report = report, .tree = tree, .room = report_room(report)};
	tree_visitor visitor = {.enter = enter_measured, .leave = leave_measured};

	walk_tree(&walk, &visitor, share);
	return !walk.is_over;
}

static uint64_t choose_share(const log_report *report, const report_tree *tree)
{
	static const uint64_t shares[] = {0,
					  REPORT_PERCENT / 1000,
					  REPORT_PERCENT / 100,
					  REPORT_PERCENT / 10,
					  REPORT_PERCENT,
					  2 * REPORT_PERCENT,
					  5 * REPORT_PERCENT,
					  10 * REPORT_PERCENT,
					  20 * REPORT_PERCENT,
					  50 * REPORT_PERCENT};
	const size_t count = sizeof(shares) / sizeof(shares[0]);

	if (!report->options.bounds_trees)
		return report->options.min_share;
	for (size_t i = 0; i + 1 < count; i++) {
		if (tree_fits(report, tree, shares[i]))
			return shares[i];
	}
	return shares[count - 1];
}

void report_tree_json(const log_report *report, const report_tree *tree, json_writer *json)
{
	tree_walk walk = {.report = report, .tree = tree, .json = json};
	tree_visitor visitor = {.enter = enter_json, .leave = leave_json};
	uint64_t share = choose_share(report, tree);

	json_begin_array(json, tree->key);
	walk_tree(&walk, &visitor, share);
	json_end_array(json);
	json_double(json, tree->share_key, (double)share / REPORT_PERCENT);
}
