/* SPDX-License-Identifier: MIT */
/* Prints trees as text or JSON, and limits their size in bounded documents. */
#include "report/tree.h"

#include "common/output.h"
#include "report/parts.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

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
	if (!tree_paths_walk(visitor, least_weight(walk, share), (size_t)walk->report->options.depth))
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
