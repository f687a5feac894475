/* SPDX-License-Identifier: MIT */
#include "call_paths.h"

#include <stdlib.h>
#include <string.h>

/* A node that was entered, and those of its callees that are to be met. */
typedef struct level {
	mprof_call_figures figures;
	hidden_calls hidden;
	mprof_call_figures *callees; /**< Largest first. */
	size_t count;
	size_t next;
} level;

static mprof_call_figures figures_of(const mprof_profile *profile, uint32_t node)
{
	mprof_call_figures figures;

	memset(&figures, 0, sizeof(figures));
	figures.struct_size = sizeof(figures);
	mprof_profile_call(profile, node, &figures);
	return figures;
}

static int compare_by_total(const void *left, const void *right)
{
	const mprof_call_figures *a = left;
	const mprof_call_figures *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return (a->method > b->method) - (a->method < b->method);
}

static int open_level(level *opened, const mprof_profile *profile, const mprof_call_figures *figures, uint64_t min_ns,
		      int shows_callees)
{
	size_t capacity = 0;

	memset(opened, 0, sizeof(*opened));
	opened->figures = *figures;
	for (uint32_t node = figures->first_child; node != MPROF_CALL_ROOT;) {
		mprof_call_figures callee = figures_of(profile, node);

		node = callee.next_sibling;
		if (!shows_callees || callee.total_ns < min_ns) {
			opened->hidden.count++;
			opened->hidden.total_ns += callee.total_ns;
			continue;
		}
		if (opened->count == capacity) {
			size_t larger = capacity > 0 ? capacity * 2 : 8;
			mprof_call_figures *callees = realloc(opened->callees, larger * sizeof(*callees));

			if (callees == NULL)
				return 0;
			opened->callees = callees;
			capacity = larger;
		}
		opened->callees[opened->count++] = callee;
	}
	if (opened->count > 1)
		qsort(opened->callees, opened->count, sizeof(*opened->callees), compare_by_total);
	return 1;
}

/* levels[0] is the root's; it has room for max_depth + 1. */
static int walk(const mprof_profile *profile, uint64_t min_ns, size_t max_depth, const call_visitor *visitor,
		level *levels)
{
	mprof_call_figures root = figures_of(profile, MPROF_CALL_ROOT);
	size_t depth = 0;
	int is_done = open_level(&levels[0], profile, &root, min_ns, max_depth > 0);

	while (is_done) {
		level *top = &levels[depth];

		if (top->next < top->count) {
			const mprof_call_figures *callee = &top->callees[top->next++];

			visitor->enter(visitor->user, callee, depth);
			depth++;
			is_done = open_level(&levels[depth], profile, callee, min_ns, depth < max_depth);
			continue;
		}
		if (depth == 0)
			break;
		visitor->leave(visitor->user, &top->figures, &top->hidden, depth - 1);
		free(top->callees);
		top->callees = NULL;
		depth--;
	}
	for (size_t i = 0; i <= depth; i++)
		free(levels[i].callees);
	return is_done;
}

int call_paths_walk(const mprof_profile *profile, uint64_t min_ns, size_t max_depth, const call_visitor *visitor)
{
	level *levels;
	int is_done;

	if (mprof_profile_call_count(profile) == 0)
		return 1;
	levels = calloc(max_depth + 1, sizeof(*levels));
	if (levels == NULL)
		return 0;
	is_done = walk(profile, min_ns, max_depth, visitor, levels);
	free(levels);
	return is_done;
}
