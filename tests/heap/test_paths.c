/* SPDX-License-Identifier: MIT */
/* References, referrers, and paths from roots. */
#include "heap/random_heap.h"

static void read_graph(heap_log *log)
{
	heap_log_close(log, 0);
	cr_assert_eq(heap_log_read(log, NULL), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_build_paths(log->graph), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_build_referrers(log->graph), MPROF_OK);
}

static size_t path_to(const heap_log *log, uint32_t object, mprof_heap_root *root, mprof_heap_step *steps)
{
	size_t count;

	memset(root, 0, sizeof(*root));
	root->struct_size = sizeof(*root);
	cr_assert_eq(mprof_heap_graph_get_path(log->graph, object, root, steps, sizeof(*steps), MAX_NODES, &count),
		     MPROF_OK);
	return count;
}

static int is_edge(const plain_heap *heap, uint32_t source, uint32_t target)
{
	for (uint32_t i = 0; i < heap->edge_count; i++) {
		if (heap->sources[i] == source && heap->targets[i] == target)
			return 1;
	}
	return 0;
}

/* Distances from the nearest root, in steps; 0 if there is none. */
static void find_distances(const plain_heap *heap, uint32_t *distances)
{
	int has_changed = 1;

	for (uint32_t i = 0; i < heap->node_count; i++)
		distances[i] = heap->is_root[i] ? 1 : 0;
	while (has_changed) {
		has_changed = 0;
		for (uint32_t i = 0; i < heap->edge_count; i++) {
			uint32_t distance = distances[heap->sources[i]] + 1;
			uint32_t *target = &distances[heap->targets[i]];

			if (distance > 1 && (*target == 0 || distance < *target)) {
				*target = distance;
				has_changed = 1;
			}
		}
	}
}

/* A step is marked if the object is dead without it. */
static void expect_dominators(const plain_heap *heap, const mprof_heap_step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int removed[MAX_NODES] = {0};
		int reached[MAX_NODES];

		removed[steps[i].object] = 1;
		reach_plainly(heap, removed, reached);
		cr_assert_eq(steps[i].is_dominator, !reached[steps[count - 1].object]);
	}
}

static void expect_paths(const heap_log *log, const plain_heap *heap)
{
	mprof_heap_step steps[MAX_NODES];
	uint32_t distances[MAX_NODES];
	mprof_heap_root root;

	find_distances(heap, distances);
	for (uint32_t i = 0; i < heap->node_count; i++) {
		size_t count = path_to(log, i, &root, steps);

		cr_assert_eq(count, distances[i]);
		cr_assert_eq(object_at(log, i).is_reachable, count != 0);
		if (count == 0)
			continue;
		cr_assert_eq(root.object, steps[0].object);
		cr_assert_eq(root.kind, MPROF_ROOT_STATIC);
		cr_assert(heap->is_root[root.object]);
		cr_assert_eq(steps[count - 1].object, i);
		for (size_t step = 1; step < count; step++)
			cr_assert(is_edge(heap, steps[step - 1].object, steps[step].object));
		expect_dominators(heap, steps, count);
	}
}

static void expect_referrers(const heap_log *log, const plain_heap *heap)
{
	for (uint32_t i = 0; i < heap->node_count; i++) {
		mprof_heap_reference found[MAX_EDGES];
		size_t expected = 0;
		size_t count;

		cr_assert_eq(
			mprof_heap_graph_get_referrers(log->graph, i, 0, found, sizeof(found[0]), MAX_EDGES, &count),
			MPROF_OK);
		for (uint32_t edge = 0; edge < heap->edge_count; edge++) {
			if (heap->targets[edge] == i)
				cr_assert_eq(found[expected++].object, heap->sources[edge]);
		}
		cr_assert_eq(count, expected);
		cr_assert_eq(object_at(log, i).referrers, expected);
	}
}

Test(heap_paths, are_the_shortest)
{
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 0; seed < 60; seed++) {
		make_random_heap(&heap, seed);
		heap_log_begin(&log, MPROF_DIALECT_MPROF2);
		write_plain_heap(&log, &heap, 1);
		read_graph(&log);
		cr_assert_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_OK);
		expect_paths(&log, &heap);
		expect_referrers(&log, &heap);
		heap_log_release(&log);
	}
}

/* A static field explains an object better than a stack, and both better than the queue of the finalizer. */
Test(heap_paths, prefer_kinds_of_roots)
{
	const uint64_t references[] = {0x4000};
	heap_content content = {NULL, NULL, 0, 0};
	mprof_heap_step steps[MAX_NODES];
	mprof_heap_root root;
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	heap_append_object(&content, 0x1000, 1, 10, references, NULL, 1);
	heap_append_object(&content, 0x2000, 1, 10, references, NULL, 1);
	heap_append_object(&content, 0x3000, 1, 10, references, NULL, 1);
	heap_append_object(&content, 0x4000, 1, 10, NULL, NULL, 0);
	heap_append_object(&content, 0x5000, 1, 10, references, NULL, 1);
	heap_append_root(&content, 0x1000, MPROF_ROOT_FINALIZER);
	heap_append_root(&content, 0x2000, MPROF_ROOT_STACK);
	heap_append_root(&content, 0x3000, MPROF_ROOT_FINALIZER);
	heap_append_root(&content, 0x3000, MPROF_ROOT_STATIC);
	heap_append_root(&content, 0x3000, MPROF_ROOT_STACK);
	heap_write(&log, &content, 1, WHOLE_SNAPSHOT, 1000);
	read_graph(&log);
	cr_assert_eq(path_to(&log, 3, &root, steps), 2);
	cr_expect_eq(root.kind, MPROF_ROOT_STATIC);
	cr_expect_eq(root.object, 2);
	cr_expect_eq(steps[0].object, 2);
	cr_expect_eq(steps[0].has_offset, 0);
	cr_assert_eq(path_to(&log, 1, &root, steps), 1);
	cr_expect_eq(root.kind, MPROF_ROOT_STACK);
	cr_expect_eq(path_to(&log, 4, &root, steps), 0);
	cr_expect_eq(object_at(&log, 4).is_reachable, 0);
	cr_expect_eq(totals_of(&log).reachable_objects, 4);
	heap_log_release(&log);
}

#define ELEMENTS 1000

/* Offsets that are near each other, far apart, before the previous one, or not known. */
static uint64_t offset_of(uint32_t element)
{
	if (element % 100 == 50)
		return UINT64_C(1) << 33;
	return element % 300 == 299 ? 8 : 16 + (uint64_t)element * (element % 7 == 0 ? 4096 : 8);
}

static void write_offsets(heap_log *log)
{
	static uint64_t references[ELEMENTS];
	static uint64_t offsets[ELEMENTS];
	heap_content content = {NULL, NULL, 0, 0};

	heap_log_begin(log, MPROF_DIALECT_MPROF2);
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		references[i] = 0x100000 + i * 16;
		offsets[i] = offset_of(i);
	}
	heap_append_object(&content, 0x1000, 1, 10, references, offsets, ELEMENTS);
	/* One object has no offsets. */
	heap_append_object(&content, 0x2000, 1, 10, references, NULL, 2);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		heap_append_object(&content, references[i], 2, 16, NULL, NULL, 0);
	heap_append_root(&content, 0x1000, MPROF_ROOT_STATIC);
	heap_write(log, &content, 1, WHOLE_SNAPSHOT, 1000);
}

Test(heap_paths, have_the_offsets_of_references)
{
	mprof_heap_reference found[ELEMENTS];
	mprof_heap_step steps[MAX_NODES];
	mprof_heap_root root;
	size_t count;
	heap_log log;

	write_offsets(&log);
	read_graph(&log);
	cr_expect_eq(totals_of(&log).has_offsets, 1);
	cr_assert_eq(mprof_heap_graph_get_references(log.graph, 0, 0, found, sizeof(found[0]), ELEMENTS, &count),
		     MPROF_OK);
	cr_assert_eq(count, ELEMENTS);
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		cr_assert_eq(found[i].object, i + 2);
		cr_assert_eq(found[i].has_offset, 1);
		cr_assert_eq(found[i].offset, offset_of(i));
		cr_assert_eq(path_to(&log, i + 2, &root, steps), 2);
		cr_assert_eq(steps[0].has_offset, 1);
		cr_assert_eq(steps[0].offset, offset_of(i));
		cr_assert_eq(steps[1].has_offset, 0);
	}
	cr_assert_eq(mprof_heap_graph_get_references(log.graph, 1, 1, found, sizeof(found[0]), ELEMENTS, &count),
		     MPROF_OK);
	cr_assert_eq(count, 1);
	cr_expect_eq(found[0].object, 3);
	cr_expect_eq(found[0].has_offset, 0);
	cr_expect_eq(mprof_heap_graph_get_references(log.graph, 1, 3, found, sizeof(found[0]), ELEMENTS, &count),
		     MPROF_ERR_ARGUMENT);
	heap_log_release(&log);
}

Test(heap_paths, begin_with_the_first_steps_if_there_is_no_room)
{
	plain_heap heap = {.node_count = 5,
			   .edge_count = 4,
			   .sources = {0, 1, 2, 3},
			   .targets = {1, 2, 3, 4},
			   .is_root = {1},
			   .classes = {1, 1, 1, 1, 1}};
	mprof_heap_root root = {.struct_size = sizeof(root)};
	mprof_heap_step steps[2];
	size_t count;
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	write_plain_heap(&log, &heap, 1);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_expect_eq(mprof_heap_graph_get_path(log.graph, 4, &root, steps, sizeof(steps[0]), 2, &count),
		     MPROF_ERR_STATE);
	cr_assert_eq(mprof_heap_graph_build_paths(log.graph), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_get_path(log.graph, 4, &root, steps, sizeof(steps[0]), 2, &count), MPROF_OK);
	cr_expect_eq(count, 5);
	cr_expect_eq(steps[0].object, 0);
	cr_expect_eq(steps[1].object, 1);
	cr_expect_eq(steps[1].is_dominator, 0);
	heap_log_release(&log);
}

/* Climbing step by step gives the same path as getting it at once. */
Test(heap_paths, are_climbed_by_one_step)
{
	mprof_heap_step steps[MAX_NODES];
	mprof_heap_reference parent;
	mprof_heap_root root;
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 1; seed < 40; seed++) {
		make_random_heap(&heap, seed);
		heap_log_begin(&log, MPROF_DIALECT_MPROF2);
		write_plain_heap(&log, &heap, 1);
		heap_log_close(&log, 0);
		cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
		cr_assert_eq(mprof_heap_graph_get_parent(log.graph, 0, &parent, sizeof(parent)), MPROF_ERR_STATE);
		cr_assert_eq(mprof_heap_graph_build_paths(log.graph), MPROF_OK);
		for (uint32_t i = 0; i < heap.node_count; i++) {
			size_t count = path_to(&log, i, &root, steps);

			cr_assert_eq(mprof_heap_graph_get_parent(log.graph, i, &parent, sizeof(parent)), MPROF_OK);
			if (count < 2) {
				cr_assert_eq(parent.object, MPROF_HEAP_NO_OBJECT);
				continue;
			}
			cr_assert_eq(parent.object, steps[count - 2].object);
			cr_assert_eq(parent.has_offset, steps[count - 2].has_offset);
			cr_assert_eq(parent.offset, steps[count - 2].offset);
		}
		cr_assert_eq(mprof_heap_graph_get_parent(log.graph, heap.node_count, &parent, sizeof(parent)),
			     MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_heap_graph_get_parent(log.graph, 0, &parent, 4), MPROF_ERR_ARGUMENT);
		heap_log_release(&log);
	}
}

/* The largest objects come first, of all that are asked for and of all that there are. */
Test(heap_paths, and_the_largest_dominated_objects)
{
	uint32_t objects[MAX_NODES];
	plain_heap heap;
	heap_log log;
	size_t all;
	size_t count;

	for (uint64_t seed = 1; seed < 40; seed++) {
		uint32_t few[3];

		make_random_heap(&heap, seed);
		heap_log_begin(&log, MPROF_DIALECT_MPROF2);
		write_plain_heap(&log, &heap, 1);
		heap_log_close(&log, 0);
		cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
		cr_assert_eq(mprof_heap_graph_get_dominated(log.graph, MPROF_HEAP_NO_OBJECT, objects, MAX_NODES, &all),
			     MPROF_ERR_STATE);
		cr_assert_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_OK);
		cr_assert_eq(mprof_heap_graph_get_dominated(log.graph, MPROF_HEAP_NO_OBJECT, objects, MAX_NODES, &all),
			     MPROF_OK);
		cr_assert_gt(all, 0);
		for (size_t i = 0; i < all; i++) {
			mprof_heap_object object = object_at(&log, objects[i]);

			cr_assert_eq(object.dominator, MPROF_HEAP_NO_OBJECT);
			cr_assert(object.is_reachable);
			cr_assert(i == 0 || object.retained_bytes < object_at(&log, objects[i - 1]).retained_bytes ||
				  (object.retained_bytes == object_at(&log, objects[i - 1]).retained_bytes &&
				   objects[i - 1] < objects[i]));
		}
		cr_assert_eq(mprof_heap_graph_get_dominated(log.graph, MPROF_HEAP_NO_OBJECT, few, 3, &count), MPROF_OK);
		cr_assert_eq(count, all);
		for (size_t i = 0; i < 3 && i < all; i++)
			cr_assert_eq(few[i], objects[i]);
		heap_log_release(&log);
	}
}

Test(heap_paths, lead_to_addresses)
{
	uint32_t object;
	heap_log log;

	write_offsets(&log);
	read_graph(&log);
	cr_assert_eq(mprof_heap_graph_lookup_object(log.graph, 0x2000, &object), MPROF_OK);
	cr_expect_eq(object, 1);
	cr_expect_eq(object_at(&log, 1).address, 0x2000);
	cr_expect_eq(mprof_heap_graph_lookup_object(log.graph, 0x2008, &object), MPROF_ERR_UNDEFINED_ID);
	cr_expect_eq(object, MPROF_HEAP_NO_OBJECT);
	heap_log_release(&log);
}
