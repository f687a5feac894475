/* SPDX-License-Identifier: MIT */
/* Sums of several heap snapshots: by class, and by path shape. */
#include "heap/diff_fixture.h"
#include "heap/random_heap.h"

#include <stdio.h>

Test(heap_diff, matches_classes_by_name)
{
	const uint32_t orders[] = {3, 5};
	mprof_heap_diff *diff;
	mprof_heap_diff_class found;
	heap_log log;

	make_shop_log(&log, orders, 2);
	diff = diff_of(&log, 2);
	cr_expect_eq(diff_totals(diff).classes, 4);
	cr_expect_eq(diff_totals(diff).snapshots, 2);
	found = class_named(diff, "c3", 0);
	cr_expect_eq(found.has_name, 1);
	cr_expect_eq(found.objects, 3);
	cr_expect_eq(found.bytes, 120);
	cr_expect_eq(found.retained_bytes, 300);
	cr_expect_eq(found.reachable_objects, 3);
	found = class_named(diff, "c3", 1);
	cr_expect_eq(found.objects, 5);
	/* A local variable refers to the first order, but it still retains its text. */
	cr_expect_eq(found.retained_bytes, 500);
	cr_expect_eq(class_named(diff, "c1", 0).retained_bytes, 32 + 600 + 300);
	cr_expect_eq(class_named(diff, "c1", 1).retained_bytes, 32 + 600 + 400);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

/* Follows a shape to its root, and writes its steps from there. */
static void describe_shape(const mprof_heap_diff *diff, uint32_t shape, char *text)
{
	mprof_heap_shape found = shape_at(diff, shape, 0);

	*text = '\0';
	if (found.parent != MPROF_HEAP_NO_SHAPE)
		describe_shape(diff, found.parent, text);
	sprintf(text + strlen(text), "%s%s %s", *text != '\0' ? ", " : "", found.name, found.class_name);
}

/* Neither moves nor local variables change the shape of an object. */
Test(heap_diff, gives_objects_the_shape_of_their_path)
{
	static const char *const expected[] = {"Shop.orders c1", "Shop.orders c1, items c2",
					       "Shop.orders c1, items c2, [] c3",
					       "Shop.orders c1, items c2, [] c3, text c4"};
	const uint32_t orders[] = {3, 5, 7};
	mprof_heap_diff *diff;
	heap_log log;

	make_shop_log(&log, orders, 3);
	diff = diff_of(&log, 3);
	cr_assert_eq(diff_totals(diff).shapes, 4);
	for (uint32_t i = 0; i < 4; i++) {
		char text[200];

		describe_shape(diff, i, text);
		cr_expect_str_eq(text, expected[i]);
		cr_expect_eq(shape_at(diff, i, 0).depth, i + 1);
		cr_expect_eq(shape_at(diff, i, 0).root_kind, MPROF_ROOT_STATIC);
		for (size_t snapshot = 0; snapshot < 3; snapshot++) {
			cr_expect_eq(shape_at(diff, i, snapshot).objects, i < 2 ? 1 : orders[snapshot]);
			cr_expect_eq(shape_at(diff, i, snapshot).held_bytes,
				     orders[snapshot] * UINT64_C(100) +
					     (i == 0   ? 632
					      : i == 1 ? 600
					      : i == 3 ? 0
						       : 0) -
					     (i == 3 ? orders[snapshot] * UINT64_C(40) : 0));
		}
	}
	cr_expect_eq(shape_at(diff, 2, 2).held_objects, 14);
	cr_expect_eq(shape_at(diff, 0, 1).example, LIST_ADDRESS);
	cr_expect_eq(shape_at(diff, 2, 1).example, 0x10010);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

/* Chains of 30 000 objects of one class have one shape, and a class between two of another is left out. */
Test(heap_diff, folds_recursion)
{
	static uint64_t addresses[30000];
	heap_content content = {NULL, NULL, 0, 0};
	mprof_heap_diff *diff;
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	for (uint32_t i = 0; i < 30000; i++)
		addresses[i] = 0x10000 + (uint64_t)i * 0x20;
	for (uint32_t i = 0; i < 30000; i++)
		heap_append_object(&content, addresses[i], i % 3 == 2 ? 2 : 1, 24, &addresses[i] + 1, NULL, i < 29999);
	heap_append_root(&content, addresses[0], MPROF_ROOT_STATIC);
	heap_write(&log, &content, 1, WHOLE_SNAPSHOT, 1000);
	heap_log_close(&log, 0);
	diff = diff_of(&log, 1);
	cr_assert_eq(diff_totals(diff).shapes, 2);
	cr_expect_eq(shape_at(diff, 0, 0).objects, 20000);
	cr_expect_eq(shape_at(diff, 0, 0).is_recursive, 1);
	cr_expect_eq(shape_at(diff, 0, 0).held_objects, 30000);
	cr_expect_eq(shape_at(diff, 1, 0).objects, 10000);
	cr_expect_eq(shape_at(diff, 1, 0).parent, 0);
	cr_expect_eq(diff_snapshot_at(diff, 0).inexact_objects, 0);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

/* A random forest: each object has one path. */
static void make_random_forest(plain_heap *heap, uint64_t seed)
{
	make_random_heap(heap, seed);
	heap->edge_count = 0;
	memset(heap->is_root, 0, sizeof(heap->is_root));
	heap->is_root[0] = 1;
	for (uint32_t source = 0, next = 1; source < heap->node_count && next < heap->node_count; source++) {
		/* At least one more is always reachable until all are. */
		for (uint32_t edges = random_below(4) + (next == source + 1); edges > 0 && next < heap->node_count;
		     edges--) {
			heap->sources[heap->edge_count] = source;
			heap->targets[heap->edge_count++] = next++;
		}
	}
}

/* The classes on a node's path as a text. A class that occurs again leads back to its first occurrence. */
static void describe_node(const plain_heap *heap, uint32_t node, char *text)
{
	char letter = (char)('a' + heap->classes[node]);
	char *found;

	*text = '\0';
	for (uint32_t i = 0; i < heap->edge_count; i++) {
		if (heap->targets[i] == node)
			describe_node(heap, heap->sources[i], text);
	}
	found = strchr(text, letter);
	if (found == NULL)
		found = text + strlen(text);
	found[0] = letter;
	found[1] = '\0';
}

static void describe_classes(const mprof_heap_diff *diff, uint32_t shape, char *text)
{
	mprof_heap_shape found = shape_at(diff, shape, 0);
	char letter[2] = {(char)('a' + found.class_name[1] - '0'), '\0'};

	*text = '\0';
	if (found.parent != MPROF_HEAP_NO_SHAPE)
		describe_classes(diff, found.parent, text);
	strcat(text, letter);
}

static void expect_shapes(const mprof_heap_diff *diff, const plain_heap *heap)
{
	uint64_t total = 0;

	for (uint32_t shape = 0; shape < diff_totals(diff).shapes; shape++) {
		mprof_heap_shape found = shape_at(diff, shape, 0);
		uint64_t sums[4] = {0, 0, 0, 0};
		char wanted[MAX_NODES + 1];
		char text[MAX_NODES + 1];

		describe_classes(diff, shape, wanted);
		for (uint32_t node = 0; node < heap->node_count; node++) {
			describe_node(heap, node, text);
			sums[0] += strcmp(text, wanted) == 0;
			sums[1] += strcmp(text, wanted) == 0 ? heap->sizes[node] : 0;
			sums[2] += strncmp(text, wanted, strlen(wanted)) == 0;
			sums[3] += strncmp(text, wanted, strlen(wanted)) == 0 ? heap->sizes[node] : 0;
		}
		cr_assert_eq(found.objects, sums[0]);
		cr_assert_eq(found.bytes, sums[1]);
		cr_assert_eq(found.held_objects, sums[2]);
		cr_assert_eq(found.held_bytes, sums[3]);
		total += found.objects;
	}
	cr_assert_eq(total, heap->node_count);
}

Test(heap_diff, agrees_with_paths_that_are_followed_one_by_one)
{
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 0; seed < 60; seed++) {
		mprof_heap_diff *diff;

		make_random_forest(&heap, seed);
		heap_log_begin(&log, MPROF_DIALECT_MPROF2);
		write_plain_heap(&log, &heap, 1);
		heap_log_close(&log, 0);
		diff = diff_of(&log, 1);
		expect_shapes(diff, &heap);
		mprof_heap_diff_destroy(diff);
		heap_log_release(&log);
	}
}

/* With limits, all objects still count. */
static void expect_sums(const mprof_heap_diff *diff, const plain_heap *heap)
{
	const int none[MAX_NODES] = {0};
	int reached[MAX_NODES];
	uint64_t sums[4] = {0, 0, 0, 0};

	reach_plainly(heap, none, reached);
	for (uint32_t i = 0; i < heap->node_count; i++) {
		sums[0] += reached[i] != 0;
		sums[1] += reached[i] ? heap->sizes[i] : 0;
	}
	for (uint32_t i = 0; i < diff_totals(diff).shapes; i++) {
		mprof_heap_shape shape = shape_at(diff, i, 0);

		sums[2] += shape.objects;
		sums[3] += shape.parent == MPROF_HEAP_NO_SHAPE ? shape.held_bytes : 0;
	}
	cr_assert_eq(diff_snapshot_at(diff, 0).reachable_objects, sums[0]);
	cr_assert_eq(diff_snapshot_at(diff, 0).reachable_bytes, sums[1]);
	cr_assert_eq(sums[0], sums[2]);
	cr_assert_eq(sums[1], sums[3]);
}

Test(heap_diff, counts_all_objects_within_its_limits)
{
	uint64_t inexact = 0;
	plain_heap heap;
	heap_log log;

	for (uint32_t seed = 0; seed < 60; seed++) {
		mprof_heap_diff_options options;
		mprof_heap_diff *diff;

		make_random_heap(&heap, seed);
		heap_log_begin(&log, MPROF_DIALECT_MPROF2);
		write_plain_heap(&log, &heap, 1);
		heap_log_close(&log, 0);
		mprof_heap_diff_options_init(&options, sizeof(options));
		options.max_shapes = seed % 2 == 0 ? 5 : 0;
		options.max_depth = seed % 3;
		cr_assert_eq(mprof_heap_diff_create(&options, &diff), MPROF_OK);
		add_snapshot(diff, &log, 1, 1);
		expect_sums(diff, &heap);
		inexact += diff_snapshot_at(diff, 0).inexact_objects;
		if (seed % 3 != 0) {
			for (uint32_t i = 0; i < diff_totals(diff).shapes; i++)
				cr_assert_leq(shape_at(diff, i, 0).depth, options.max_depth);
		}
		mprof_heap_diff_destroy(diff);
		heap_log_release(&log);
	}
	cr_assert_gt(inexact, 1000);
}

/* Reads a log in which the block with the names of the classes is damaged. */
static void add_without_names(mprof_heap_diff *diff, heap_log *log, uint32_t log_number)
{
	mprof_status status = heap_log_read(log, NULL);

	cr_assert_neq(status, MPROF_OK);
	cr_assert_eq(mprof_heap_diff_add(diff, log->graph, log->reader, log_number), MPROF_OK);
	heap_log_forget(log);
}

static void damage_names(const heap_log *log)
{
	size_t i = 0;

	while (memcmp(log->bytes + i, "c3", 3) != 0)
		i++;
	log->bytes[i] ^= 1;
}

/* Classes without names are the same within a log only. */
Test(heap_diff, does_not_match_classes_without_names_across_logs)
{
	const uint32_t orders[] = {3};
	mprof_heap_diff *diff;
	heap_log log;

	make_shop_log(&log, orders, 1);
	damage_names(&log);
	cr_assert_eq(mprof_heap_diff_create(NULL, &diff), MPROF_OK);
	add_without_names(diff, &log, 0);
	add_without_names(diff, &log, 0);
	cr_expect_eq(diff_totals(diff).classes, 4);
	add_without_names(diff, &log, 1);
	cr_expect_eq(diff_totals(diff).classes, 8);
	cr_expect_eq(class_named(diff, "#3", 1).objects, 3);
	cr_expect_eq(class_named(diff, "#3", 1).has_name, 0);
	/* That of the first log. */
	cr_expect_eq(class_named(diff, "#3", 2).objects, 0);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

Test(heap_diff, reports_what_a_snapshot_lacks)
{
	const uint64_t missing[] = {0x9990};
	heap_content content = {NULL, NULL, 0, 0};
	mprof_heap_diff_snapshot found;
	mprof_heap_diff *diff;
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	heap_append_object(&content, 0x1000, 1, 10, missing, NULL, 1);
	heap_append_object(&content, 0x2000, 1, 20, NULL, NULL, 0);
	heap_write(&log, &content, 4, MPROF_HEAP_FLAG_FIRST, 1000);
	heap_log_close(&log, 1);
	cr_assert_eq(mprof_heap_diff_create(NULL, &diff), MPROF_OK);
	add_snapshot(diff, &log, 1, 9);
	found = diff_snapshot_at(diff, 0);
	cr_expect_eq(found.log, 9);
	cr_expect_eq(found.snapshot, 1);
	cr_expect_eq(found.number, 4);
	cr_expect_eq(found.incomplete, 1);
	cr_expect_eq(found.has_roots, 0);
	cr_expect_eq(found.has_retained, 0);
	cr_expect_eq(found.objects, 2);
	cr_expect_eq(found.bytes, 30);
	cr_expect_eq(found.reachable_objects, 0);
	cr_expect_eq(found.missing_references, 1);
	cr_expect_eq(diff_totals(diff).shapes, 0);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

Test(heap_diff, refuses_a_graph_without_a_snapshot)
{
	const uint32_t orders[] = {3};
	mprof_heap_graph_options options = options_for(2);
	mprof_heap_diff_options too_many;
	mprof_heap_diff *diff;
	heap_log log;

	make_shop_log(&log, orders, 1);
	cr_assert_eq(heap_log_read(&log, &options), MPROF_OK);
	cr_assert_eq(mprof_heap_diff_create(NULL, &diff), MPROF_OK);
	cr_expect_eq(mprof_heap_diff_add(diff, log.graph, log.reader, 1), MPROF_ERR_STATE);
	cr_expect_eq(diff_totals(diff).snapshots, 0);
	mprof_heap_diff_destroy(diff);
	mprof_heap_diff_options_init(&too_many, sizeof(too_many));
	too_many.max_shapes = (UINT32_C(1) << 30) + 1;
	cr_expect_eq(mprof_heap_diff_create(&too_many, &diff), MPROF_ERR_ARGUMENT);
	cr_expect_null(diff);
	heap_log_release(&log);
}

Test(heap_diff, stays_within_its_memory)
{
	const uint32_t orders[] = {20};
	heap_log log;
	uint64_t memory;

	make_shop_log(&log, orders, 1);
	for (memory = 1;; memory += 10000) {
		mprof_heap_diff_options options;
		mprof_heap_graph_options graph_options = options_for(1);
		mprof_heap_diff *diff;
		mprof_status status;

		mprof_heap_diff_options_init(&options, sizeof(options));
		options.max_memory = memory;
		cr_assert_eq(heap_log_read(&log, &graph_options), MPROF_OK);
		cr_assert_eq(mprof_heap_diff_create(&options, &diff), MPROF_OK);
		status = mprof_heap_diff_add(diff, log.graph, log.reader, 1);
		cr_assert_leq(diff_totals(diff).used_memory, memory);
		cr_assert_eq(diff_totals(diff).snapshots, status == MPROF_OK);
		mprof_heap_diff_destroy(diff);
		heap_log_forget(&log);
		if (status == MPROF_OK)
			break;
		cr_assert_eq(status, MPROF_ERR_LIMIT);
	}
	cr_expect_gt(memory, 1);
	heap_log_release(&log);
}
