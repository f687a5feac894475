/* SPDX-License-Identifier: MIT */
/* Allocations by class, by method, and by call path. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>

/* Methods of a class and paths of a method are shown from this share of the bytes on. */
#define SHOWN_PART 0.7

/* Sums of allocations and paths. */
enum { SUM_BYTES, SUM_INSTANCES };

/*
 * A failed load that is taken for an allocation has the time since the previous event as its size. No object is that
 * large.
 */
#define MAX_OBJECT (UINT64_C(1) << 40)

static void add(const oracle *all, fact *row, uint64_t bytes)
{
	add_bytes(all, &row->sums[SUM_BYTES], bytes);
	row->sums[SUM_INSTANCES]++;
}

/* The decoder shifts each group of seven bits modulo 32. */
static uint64_t size_of(const oracle *all, uint64_t value)
{
	uint32_t size = 0;

	if (!has_fault(all, FAULT_SUMS))
		return value;
	for (unsigned shift = 0; value != 0; shift += 7, value >>= 7)
		size |= (uint32_t)(value & 0x7f) << (shift & 31);
	return size;
}

void allocations_add(oracle *all, const thread_state *thread, const mprof_event *event)
{
	named *class = names_get(&all->classes, event->id);
	uint64_t bytes = size_of(all, event->value);
	uint32_t method = event->more.detail != NULL ? event->more.detail->caller : 0;
	int is_compiling = event->kind == MPROF_EVENT_ALLOCATION_AT_JIT;
	trace path = {TREE_CALLS, 0};
	const open_frame *top;
	size_t group;
	int tree;

	if (event->value > MAX_OBJECT && !has_fault(all, FAULT_FAILED_LOADS))
		return;
	add_bytes(all, &class->bytes, bytes);
	class->remaining += bytes;
	if (all->has_allocation_stacks)
		path = stacks_trace(all, thread);
	top = stacks_top(thread, &tree);
	if (method == 0 && top != NULL) {
		method = top->method;
		is_compiling = top->is_compiling;
	}
	if (method == 0)
		return;
	group = facts_find(&all->allocations, (uint64_t)event->id << 1 | (uint64_t)is_compiling, method, 0);
	add(all, &all->allocations.rows[group], bytes);
	if (path.node != 0)
		add(all, facts_get(&all->paths, group, path.node, (uint64_t)path.tree), bytes);
}

static void print_sums(const fact *row, int indentation, const char *where)
{
	printf("%*s%" PRIu64 " bytes (%" PRIu64 " instances) %s", indentation, "", row->sums[SUM_BYTES],
	       row->sums[SUM_INSTANCES], where);
}

static void print_path(oracle *all, const fact *path)
{
	const fact *nodes = all->trees[path->key[2]].nodes.rows;

	print_sums(path, 16, "inside\n");
	for (size_t node = (size_t)path->key[1]; node != 0; node = (size_t)nodes[node - 1].key[0]) {
		printf("%24s%s", "", nodes[node - 1].key[2] != 0 ? "[JIT time]:" : "");
		print_method(all, (uint32_t)nodes[node - 1].key[1]);
		putchar('\n');
	}
}

static void print_paths(oracle *all, const fact *group)
{
	double shown = 0;
	size_t count;
	const fact **paths = facts_of(&all->paths, facts_number(&all->allocations, group), &count);

	sort_items(all, paths, count, order_sums, 1, NULL);
	for (size_t i = 0; i < count && shown / (double)group->sums[SUM_BYTES] < SHOWN_PART; i++) {
		print_path(all, paths[i]);
		shown += (double)paths[i]->sums[SUM_BYTES];
	}
}

static void print_group(oracle *all, const fact *group, int indentation, const char *where)
{
	print_sums(group, indentation, where);
	print_method(all, (uint32_t)group->key[1]);
	putchar('\n');
}

/* The running and the compiling methods of a class follow one another, in this order. */
static void print_with_paths(oracle *all, const named *class, const fact **groups, size_t count)
{
	double shown = 0;

	sort_items(all, groups, count, order_sums, 1, NULL);
	for (size_t i = 0; i < count; i++) {
		print_group(all, groups[i], 8, "from ");
		if (shown < (double)class->bytes * SHOWN_PART)
			print_paths(all, groups[i]);
		shown += (double)groups[i]->sums[SUM_BYTES];
	}
}

static void print_without_paths(oracle *all, const fact **groups, size_t count, int is_compiling)
{
	sort_items(all, groups, count, order_sums, 1, NULL);
	for (size_t i = 0; i < count; i++)
		print_group(all, groups[i], is_compiling ? 16 : 8, is_compiling ? "at JIT time in " : "from ");
}

static void print_class_allocations(oracle *all, const named *class, uint64_t bytes)
{
	size_t running;
	size_t compiling;
	const fact **groups = facts_of(&all->allocations, (uint64_t) class->id << 1, &running);

	facts_of(&all->allocations, (uint64_t) class->id << 1 | 1, &compiling);
	print_percent((double)class->bytes, (double)bytes);
	printf(" (%" PRIu64 " bytes) ", class->bytes);
	print_class(all, class->id);
	putchar('\n');
	if (all->has_allocation_stacks) {
		print_with_paths(all, class, groups, running + compiling);
	} else {
		print_without_paths(all, groups, running, 0);
		print_without_paths(all, groups + running, compiling, 1);
	}
}

static int by_class_bytes(const void *left, const void *right)
{
	return order_numbers(((const named *)left)->bytes, ((const named *)right)->bytes);
}

void allocations_print(oracle *all)
{
	name_table *classes = &all->classes;
	uint64_t bytes = 0;

	for (size_t i = 0; i < classes->defined; i++)
		bytes += classes->sorted[i]->bytes;
	if (!has_section(all, MPROF_INTRO_FLAG_CLASS, bytes))
		return;
	if (bytes == 0) {
		printf("No allocations reported (on %zu classes)\n", classes->defined);
		return;
	}
	print_separator();
	printf("Reporting allocations (on %zu classes)\n", classes->defined);
	sort_items(all, classes->sorted, classes->defined, by_class_bytes, 1, order_ids);
	for (size_t i = 0; i < classes->defined && classes->sorted[i]->bytes > 0; i++)
		print_class_allocations(all, classes->sorted[i], bytes);
}
