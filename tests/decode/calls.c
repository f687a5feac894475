/* SPDX-License-Identifier: MIT */
/* Time by method with its callers, and by call path. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>

static int by_clicks(const void *left, const void *right)
{
	return order_numbers(((const named *)left)->clicks, ((const named *)right)->clicks);
}

static int by_number(const void *left, const void *right)
{
	return order_numbers(((const fact *)left)->sums[NODE_NUMBER], ((const fact *)right)->sums[NODE_NUMBER]);
}

static void print_methods(oracle *all, uint64_t clicks)
{
	const name_table *methods = &all->methods;

	for (size_t i = 0; i < methods->defined && methods->sorted[i]->clicks > 0; i++) {
		const named *method = methods->sorted[i];
		size_t count;
		const fact **callers = facts_of(&all->callers, method->id, &count);

		print_percent((double)method->clicks, (double)clicks);
		fputs(" (", stdout);
		print_number(clicks_to_seconds(all, method->clicks), 6);
		fputs("s) ", stdout);
		print_method(all, method->id);
		putchar('\n');
		sort_items(all, callers, count, order_sums, 1, order_parts);
		for (size_t caller = 0; caller < count; caller++) {
			printf("        %" PRIu64 " calls from ", callers[caller]->sums[0]);
			print_method(all, (uint32_t)callers[caller]->key[1]);
			putchar('\n');
		}
	}
}

/* Recurses to the depth of the tree. */
static void print_children(oracle *all, size_t parent, double whole, int level)
{
	fact_table *nodes = &all->trees[TREE_CALLS].nodes;
	size_t count;
	size_t shown = 0;
	const fact **children = facts_of(nodes, parent, &count);

	for (size_t i = 0; i < count; i++) {
		if (children[i]->sums[NODE_NUMBER] != 0)
			children[shown++] = children[i];
	}
	/* Sorting by number gives the order in which the decoder created them. */
	sort_items(all, children, shown, by_number, 0, by_number);
	sort_items(all, children, shown, order_sums, 1, by_number);
	for (size_t i = 0; i < shown; i++) {
		double seconds = clicks_to_seconds(all, children[i]->sums[NODE_CLICKS]);

		printf("%*s", 4 * level, "");
		print_percent(seconds, whole);
		fputs(" (", stdout);
		print_number(seconds, 6);
		printf("s, %" PRIu64 " calls) ", children[i]->sums[NODE_CALLS]);
		print_method(all, (uint32_t)children[i]->key[1]);
		putchar('\n');
		print_children(all, facts_number(nodes, children[i]) + 1, seconds, level + 1);
	}
}

void calls_print(oracle *all)
{
	name_table *methods = &all->methods;
	uint64_t clicks = 0;

	for (size_t i = 0; i < methods->defined; i++)
		clicks += methods->sorted[i]->clicks;
	sort_items(all, methods->sorted, methods->defined, by_clicks, 1, order_ids);
	if (!has_section(all, MPROF_INTRO_FLAG_METHOD, clicks))
		return;
	if (clicks == 0) {
		printf("No execution time reported (on %zu methods)\n", methods->defined);
		return;
	}
	print_separator();
	printf("Reporting execution time (on %zu methods)\n", methods->defined);
	print_methods(all, clicks);
	print_separator();
	puts("Reporting execution time by stack frame");
	print_children(all, 0, clicks_to_seconds(all, clicks), 0);
}
