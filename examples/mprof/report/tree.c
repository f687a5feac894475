/* SPDX-License-Identifier: MIT */
#include "report/tree.h"

#include "report/parts.h"

#include <string.h>

/* Estimated size of a node in JSON without its name. */
#define NODE_SIZE 140

/* A walk that only sums up the size of the output. */
typedef struct tree_measure {
	const log_report *report;
	const tree_visitor *printed;
	report_node_name name;
	uint64_t room;
	int is_over;
} tree_measure;

static void get_measured(void *user, uint32_t node, tree_node *found)
{
	const tree_measure *measure = user;

	measure->printed->get(measure->printed->user, node, found);
}

static void enter_measured(void *user, uint32_t node, size_t depth)
{
	tree_measure *measure = user;
	const char *name = measure->name(measure->report, node);

	(void)depth;
	if (!report_takes_room(&measure->room, NODE_SIZE + (name != NULL ? strlen(name) : 0)))
		measure->is_over = 1;
}

static void leave_measured(void *user, uint32_t node, const hidden_branches *hidden, size_t depth)
{
	(void)user;
	(void)node;
	(void)hidden;
	(void)depth;
}

static int fits(const log_report *report, const tree_visitor *printed, uint64_t least, report_node_name name)
{
	tree_measure measure = {report, printed, name, report_room(report), 0};
	tree_visitor visitor = {get_measured, enter_measured, leave_measured, &measure, &measure.is_over};

	if (!tree_paths_walk(&visitor, least, (size_t)report->options.depth))
		report_out_of_memory();
	return !measure.is_over;
}

uint64_t report_tree_walk_json(const log_report *report, const tree_visitor *visitor, uint64_t whole,
			       report_node_name name)
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
	uint64_t share = report->options.min_share;

	for (size_t i = 0; report->options.bounds_trees && i < sizeof(shares) / sizeof(shares[0]); i++) {
		share = shares[i];
		if (fits(report, visitor, report_least(share, whole), name))
			break;
	}
	if (!tree_paths_walk(visitor, report_least(share, whole), (size_t)report->options.depth))
		report_out_of_memory();
	return share;
}
