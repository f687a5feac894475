/* SPDX-License-Identifier: MIT */
/* Sets of objects: filters, combinations, totals and retained sizes are those of plain arrays. */
#include "heap/random_heap.h"

#include <mprof/heap.h>

static mprof_heap_set *make_set(heap_log *log)
{
	mprof_heap_set *set;

	cr_assert_eq(mprof_heap_set_create(log->graph, &set), MPROF_OK);
	return set;
}

static void read_random(heap_log *log, plain_heap *heap, uint64_t seed)
{
	make_random_heap(heap, seed);
	heap_log_begin(log, MPROF_DIALECT_MPROF2);
	write_plain_heap(log, heap, 1);
	heap_log_close(log, 0);
	cr_assert_eq(heap_log_read(log, NULL), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_build_dominators(log->graph), MPROF_OK);
}

/* A set has exactly the nodes that are marked, and their totals. */
static void expect_nodes(const mprof_heap_set *set, const plain_heap *heap, const int *is_in)
{
	mprof_heap_set_totals totals = {.struct_size = sizeof(totals)};
	uint32_t objects[MAX_NODES];
	uint64_t bytes = 0;
	size_t expected = 0;
	size_t count;

	cr_assert_eq(mprof_heap_set_get_objects(set, 0, objects, MAX_NODES, &count), MPROF_OK);
	for (uint32_t i = 0; i < heap->node_count; i++) {
		if (!is_in[i])
			continue;
		cr_assert_lt(expected, count);
		cr_assert_eq(objects[expected], i);
		expected++;
		bytes += heap->sizes[i];
	}
	cr_assert_eq(count, expected);
	cr_assert_eq(mprof_heap_set_get_totals(set, &totals), MPROF_OK);
	cr_assert_eq(totals.objects, expected);
	cr_assert_eq(totals.bytes, bytes);
}

/* Marks what roots reach without some nodes. */
static void reach_without(const plain_heap *heap, const int *removed, int *reached)
{
	int has_changed = 1;

	for (uint32_t i = 0; i < heap->node_count; i++)
		reached[i] = heap->is_root[i] && !removed[i];
	while (has_changed) {
		has_changed = 0;
		for (uint32_t i = 0; i < heap->edge_count; i++) {
			uint32_t target = heap->targets[i];

			if (reached[heap->sources[i]] && !reached[target] && !removed[target])
				reached[target] = has_changed = 1;
		}
	}
}

static void expect_retained(mprof_heap_set *set, const plain_heap *heap, const int *is_in)
{
	int nothing[MAX_NODES] = {0};
	int all[MAX_NODES];
	int remaining[MAX_NODES];
	uint64_t expected = 0;
	uint64_t bytes;

	reach_without(heap, nothing, all);
	reach_without(heap, is_in, remaining);
	for (uint32_t i = 0; i < heap->node_count; i++)
		expected += all[i] && !remaining[i] ? heap->sizes[i] : 0;
	cr_assert_eq(mprof_heap_set_get_retained(set, &bytes), MPROF_OK);
	cr_assert_eq(bytes, expected);
}

static uint32_t class_of(const heap_log *log, size_t index)
{
	return class_at(log, index).class_id;
}

/* All objects of a class, what refers to them, what they refer to, and the objects that are both. */
Test(heap_set, filters_by_class_and_by_references)
{
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 1; seed < 60; seed++) {
		int of_class[MAX_NODES] = {0};
		int referencing[MAX_NODES] = {0};
		int referenced[MAX_NODES] = {0};
		int both[MAX_NODES];
		mprof_heap_set *members;
		mprof_heap_set *sources;
		mprof_heap_set *targets;

		read_random(&log, &heap, seed);
		members = make_set(&log);
		sources = make_set(&log);
		targets = make_set(&log);
		for (uint32_t i = 0; i < heap.node_count; i++)
			of_class[i] = heap.classes[i] == class_of(&log, 0);
		for (uint32_t i = 0; i < heap.edge_count; i++) {
			referencing[heap.sources[i]] |= of_class[heap.targets[i]];
			referenced[heap.targets[i]] |= of_class[heap.sources[i]];
		}
		for (uint32_t i = 0; i < heap.node_count; i++)
			both[i] = referencing[i] && referenced[i];
		cr_assert_eq(mprof_heap_set_add_class(members, 0), MPROF_OK);
		cr_assert_eq(mprof_heap_set_add_referencing(sources, members), MPROF_OK);
		cr_assert_eq(mprof_heap_set_add_referenced(targets, members), MPROF_OK);
		expect_nodes(members, &heap, of_class);
		expect_nodes(sources, &heap, referencing);
		expect_nodes(targets, &heap, referenced);
		expect_retained(members, &heap, of_class);
		expect_retained(sources, &heap, referencing);
		cr_assert_eq(mprof_heap_set_intersect(sources, targets), MPROF_OK);
		expect_nodes(sources, &heap, both);
		expect_retained(sources, &heap, both);
		mprof_heap_set_destroy(members);
		mprof_heap_set_destroy(sources);
		mprof_heap_set_destroy(targets);
		heap_log_release(&log);
	}
}

Test(heap_set, combines_sets)
{
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 1; seed < 60; seed++) {
		int in_a[MAX_NODES];
		int in_b[MAX_NODES];
		int expected[MAX_NODES];
		mprof_heap_set *a;
		mprof_heap_set *b;
		mprof_heap_set *all;

		read_random(&log, &heap, seed);
		a = make_set(&log);
		b = make_set(&log);
		all = make_set(&log);
		for (uint32_t i = 0; i < heap.node_count; i++) {
			in_a[i] = random_below(2) == 0;
			in_b[i] = random_below(3) == 0;
			if (in_a[i])
				cr_assert_eq(mprof_heap_set_add_object(a, i), MPROF_OK);
			if (in_b[i])
				cr_assert_eq(mprof_heap_set_add_object(b, i), MPROF_OK);
		}
		/* Without both, a and not b, and that with b again. */
		cr_assert_eq(mprof_heap_set_add_all(all), MPROF_OK);
		cr_assert_eq(mprof_heap_set_subtract(all, a), MPROF_OK);
		for (uint32_t i = 0; i < heap.node_count; i++)
			expected[i] = !in_a[i];
		expect_nodes(all, &heap, expected);
		cr_assert_eq(mprof_heap_set_subtract(a, b), MPROF_OK);
		for (uint32_t i = 0; i < heap.node_count; i++)
			expected[i] = in_a[i] && !in_b[i];
		expect_nodes(a, &heap, expected);
		cr_assert_eq(mprof_heap_set_unite(a, b), MPROF_OK);
		for (uint32_t i = 0; i < heap.node_count; i++)
			expected[i] = in_a[i] || in_b[i];
		expect_nodes(a, &heap, expected);
		expect_retained(a, &heap, expected);
		cr_assert_eq(mprof_heap_set_subtract(a, a), MPROF_OK);
		memset(expected, 0, sizeof(expected));
		expect_nodes(a, &heap, expected);
		expect_retained(a, &heap, expected);
		mprof_heap_set_destroy(a);
		mprof_heap_set_destroy(b);
		mprof_heap_set_destroy(all);
		heap_log_release(&log);
	}
}

Test(heap_set, gets_objects_in_parts)
{
	uint32_t objects[MAX_NODES];
	plain_heap heap;
	heap_log log;
	mprof_heap_set *set;
	uint32_t next = 0;
	uint32_t seen = 0;
	size_t count;

	read_random(&log, &heap, 1);
	set = make_set(&log);
	for (uint32_t i = 0; i < heap.node_count; i += 3)
		cr_assert_eq(mprof_heap_set_add_object(set, i), MPROF_OK);
	do {
		cr_assert_eq(mprof_heap_set_get_objects(set, next, objects, 5, &count), MPROF_OK);
		for (size_t i = 0; i < count; i++)
			cr_assert_eq(objects[i], 3 * seen++);
		next = count > 0 ? objects[count - 1] + 1 : next;
	} while (count == 5);
	cr_expect_eq(seen, (heap.node_count + 2) / 3);
	cr_assert_eq(mprof_heap_set_get_objects(set, MPROF_HEAP_NO_OBJECT, objects, 5, &count), MPROF_OK);
	cr_expect_eq(count, 0);
	mprof_heap_set_destroy(set);
	heap_log_release(&log);
}

Test(heap_set, refuses_wrong_arguments)
{
	plain_heap heap;
	heap_log log;
	heap_log other;
	mprof_heap_set *set;
	mprof_heap_set *foreign;
	uint64_t bytes;

	read_random(&log, &heap, 1);
	read_random(&other, &heap, 2);
	set = make_set(&log);
	foreign = make_set(&other);
	cr_expect_eq(mprof_heap_set_add_object(set, (uint32_t)totals_of(&log).objects), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_heap_set_add_object(set, MPROF_HEAP_NO_OBJECT), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_heap_set_add_class(set, (size_t)totals_of(&log).classes), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_heap_set_unite(set, foreign), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_heap_set_add_referencing(set, set), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_heap_set_add_referenced(set, foreign), MPROF_ERR_ARGUMENT);
	mprof_heap_set_destroy(set);
	mprof_heap_set_destroy(foreign);
	heap_log_forget(&log);
	/* Before a snapshot has been read there are no sets, and before its dominators no retained sizes. */
	cr_assert_eq(mprof_heap_graph_create(NULL, &log.graph), MPROF_OK);
	cr_expect_eq(mprof_heap_set_create(log.graph, &set), MPROF_ERR_STATE);
	cr_expect_null(set);
	mprof_heap_graph_destroy(log.graph);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	set = make_set(&log);
	cr_expect_eq(mprof_heap_set_get_retained(set, &bytes), MPROF_ERR_STATE);
	mprof_heap_set_destroy(set);
	heap_log_release(&log);
	heap_log_release(&other);
}
