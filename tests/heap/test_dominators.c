/* SPDX-License-Identifier: MIT */
/* Dominators and retained sizes, compared with simpler ways to compute them. */
#include "heap/random_heap.h"

#define GRAPHS 400
#define NOT_REACHED UINT32_MAX

static void read_heap(heap_log *log, const plain_heap *heap)
{
	heap_log_begin(log, MPROF_DIALECT_MPROF2);
	write_plain_heap(log, heap, 1);
	heap_log_close(log, 0);
	cr_assert_eq(heap_log_read(log, NULL), MPROF_OK);
	cr_assert_eq(totals_of(log).objects, heap->node_count);
	cr_assert_eq(totals_of(log).references, heap->edge_count);
	cr_assert_eq(mprof_heap_graph_build_dominators(log->graph), MPROF_OK);
}

/*
 * The algorithm of Cooper, Harvey and Kennedy. Node node_count is the imaginary one that refers to all roots; it is the
 * first of the reverse postorder.
 */
typedef struct simple_dominators {
	uint32_t dominators[MAX_NODES + 1];
	uint32_t postorder[MAX_NODES + 1]; /**< By node; NOT_REACHED if no root reaches it. */
	uint32_t nodes[MAX_NODES + 1];     /**< By position in the postorder. */
	uint32_t count;
	int visited[MAX_NODES + 1];
} simple_dominators;

static int has_edge(const plain_heap *heap, uint32_t edge, uint32_t node, uint32_t *target)
{
	if (edge < heap->edge_count) {
		*target = heap->targets[edge];
		return heap->sources[edge] == node;
	}
	*target = edge - heap->edge_count;
	return node == heap->node_count && heap->is_root[*target];
}

static void visit_node(const plain_heap *heap, simple_dominators *simple, uint32_t node)
{
	simple->visited[node] = 1;
	for (uint32_t edge = 0; edge < heap->edge_count + heap->node_count; edge++) {
		uint32_t target;

		if (has_edge(heap, edge, node, &target) && !simple->visited[target])
			visit_node(heap, simple, target);
	}
	simple->postorder[node] = simple->count;
	simple->nodes[simple->count++] = node;
}

static uint32_t intersect(const simple_dominators *simple, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (simple->postorder[a] < simple->postorder[b])
			a = simple->dominators[a];
		else
			b = simple->dominators[b];
	}
	return a;
}

static uint32_t merge_predecessors(const plain_heap *heap, const simple_dominators *simple, uint32_t node)
{
	uint32_t merged = NOT_REACHED;

	if (heap->is_root[node])
		merged = heap->node_count;
	for (uint32_t edge = 0; edge < heap->edge_count; edge++) {
		uint32_t source = heap->sources[edge];

		if (heap->targets[edge] == node && simple->dominators[source] != NOT_REACHED)
			merged = merged == NOT_REACHED ? source : intersect(simple, source, merged);
	}
	return merged;
}

static void find_simply(const plain_heap *heap, simple_dominators *simple)
{
	int has_changed = 1;

	memset(simple, 0, sizeof(*simple));
	memset(simple->postorder, 0xff, sizeof(simple->postorder));
	memset(simple->dominators, 0xff, sizeof(simple->dominators));
	visit_node(heap, simple, heap->node_count);
	simple->dominators[heap->node_count] = heap->node_count;
	while (has_changed) {
		has_changed = 0;
		for (uint32_t i = simple->count - 1; i > 0; i--) {
			uint32_t node = simple->nodes[i - 1];
			uint32_t merged = merge_predecessors(heap, simple, node);

			has_changed |= simple->dominators[node] != merged;
			simple->dominators[node] = merged;
		}
	}
}

static void expect_same_dominators(const heap_log *log, const plain_heap *heap, uint64_t seed)
{
	simple_dominators simple;

	find_simply(heap, &simple);
	cr_expect_eq(totals_of(log).reachable_objects, simple.count - 1);
	for (uint32_t i = 0; i < heap->node_count; i++) {
		mprof_heap_object object = object_at(log, i);
		uint32_t expected = simple.dominators[i];

		cr_assert_eq(object.address, address_of(i));
		cr_assert_eq(object.is_reachable, expected != NOT_REACHED, "graph %d, object %u", (int)seed, i);
		if (expected == heap->node_count)
			expected = MPROF_HEAP_NO_OBJECT;
		cr_assert_eq(object.dominator, expected, "graph %d, object %u: %u instead of %u", (int)seed, i,
			     object.dominator, expected);
	}
}

Test(dominators, are_those_of_a_simple_algorithm)
{
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		make_random_heap(&heap, seed);
		read_heap(&log, &heap);
		expect_same_dominators(&log, &heap, seed);
		heap_log_release(&log);
	}
}

static void add_edge(plain_heap *heap, uint32_t source, uint32_t target)
{
	if (heap->edge_count == MAX_EDGES)
		return;
	heap->sources[heap->edge_count] = source;
	heap->targets[heap->edge_count++] = target;
}

/*
 * Lists whose objects have one referrer each, with references to themselves, repeated references, and references from
 * one list to another. Nothing refers to the last lists, which refer to the others.
 */
static void make_heap_of_lists(plain_heap *heap, uint64_t seed)
{
	uint32_t length = 1 + (uint32_t)(seed % 17);

	random_state = seed * 977 + 1;
	memset(heap, 0, sizeof(*heap));
	heap->node_count = length * (2 + random_below(MAX_NODES / length - 1));
	for (uint32_t i = 0; i < heap->node_count; i++) {
		heap->classes[i] = 1 + random_below(5);
		heap->sizes[i] = random_below(1000);
		if ((i + 1) % length != 0)
			add_edge(heap, i, i + 1);
		if (random_below(5) == 0)
			add_edge(heap, i, i);
		for (uint32_t repeats = random_below(8) == 0 ? 3 : 0; repeats > 0; repeats--)
			add_edge(heap, i, random_below(1 + heap->node_count * 3 / 4));
		if ((i + 1) % length == 0 && random_below(2) == 0)
			add_edge(heap, i, random_below(1 + heap->node_count / 2));
	}
	for (uint32_t i = 1 + random_below(3); i > 0; i--)
		heap->is_root[random_below(heap->node_count / 2)] = 1;
}

Test(dominators, of_lists_are_those_of_a_simple_algorithm)
{
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		make_heap_of_lists(&heap, seed);
		read_heap(&log, &heap);
		expect_same_dominators(&log, &heap, seed);
		heap_log_release(&log);
	}
}

/*
 * A list whose last object refers to all others, to which objects of the list refer as well: from the parent of such an
 * object, most of the list is between it and its dominator.
 */
static void make_deep_heap(plain_heap *heap, uint64_t seed)
{
	uint32_t length;
	uint32_t shorter;

	random_state = seed * 977 + 1;
	memset(heap, 0, sizeof(*heap));
	heap->node_count = MAX_NODES - random_below(20);
	length = heap->node_count / 2 - random_below(30);
	heap->is_root[0] = 1;
	for (uint32_t i = 0; i < heap->node_count; i++) {
		heap->classes[i] = 1 + random_below(5);
		heap->sizes[i] = random_below(1000);
		if (i + 1 < length)
			add_edge(heap, i, i + 1);
		for (uint32_t target = length; i + 1 == length && target < heap->node_count; target++)
			add_edge(heap, i, target);
		/* Most of these are from the start of the list, and some to objects on the way. */
		shorter = i < 1 + seed % 4 ? 60 : random_below(4) == 0;
		for (; shorter > 0; shorter--)
			add_edge(heap, i, i + random_below(heap->node_count - i));
	}
}

Test(dominators, of_deep_graphs_are_those_of_a_simple_algorithm)
{
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		make_deep_heap(&heap, seed);
		read_heap(&log, &heap);
		expect_same_dominators(&log, &heap, seed);
		heap_log_release(&log);
	}
}

static void expect_retained_objects(const heap_log *log, const plain_heap *heap)
{
	int removed[MAX_NODES];

	for (uint32_t i = 0; i < heap->node_count; i++) {
		memset(removed, 0, sizeof(removed));
		removed[i] = 1;
		cr_assert_eq(object_at(log, i).retained_bytes, retained_plainly(heap, removed));
	}
}

/* Whether another object of the same class is on all paths to an object. */
static int is_within_class(const plain_heap *heap, uint32_t node)
{
	int removed[MAX_NODES];
	int reached[MAX_NODES];
	int is_within = 0;

	for (uint32_t i = 0; i < heap->node_count; i++) {
		memset(removed, 0, sizeof(removed));
		removed[i] = 1;
		reach_plainly(heap, removed, reached);
		is_within |= i != node && heap->classes[i] == heap->classes[node] && !reached[node];
	}
	return is_within;
}

static void expect_retained_classes(const heap_log *log, const plain_heap *heap)
{
	int removed[MAX_NODES];

	for (size_t i = 0; i < mprof_heap_graph_get_class_count(log->graph); i++) {
		mprof_heap_class stats = class_at(log, i);
		uint64_t objects = 0;
		uint64_t bytes = 0;
		uint64_t retained = 0;

		for (uint32_t node = 0; node < heap->node_count; node++) {
			if (heap->classes[node] != stats.class_id)
				continue;
			objects++;
			bytes += heap->sizes[node];
			memset(removed, 0, sizeof(removed));
			removed[node] = 1;
			retained += is_within_class(heap, node) ? 0 : retained_plainly(heap, removed);
		}
		cr_assert_gt(objects, 0);
		cr_assert_eq(stats.objects, objects);
		cr_assert_eq(stats.bytes, bytes);
		cr_assert_eq(stats.retained_bytes, retained);
	}
}

static void expect_retained_set(const heap_log *log, const plain_heap *heap)
{
	uint32_t objects[MAX_NODES];
	int removed[MAX_NODES] = {0};
	size_t count = 1 + random_below(5);
	uint64_t bytes;

	for (size_t i = 0; i < count; i++) {
		objects[i] = random_below(heap->node_count);
		removed[objects[i]] = 1;
	}
	cr_assert_eq(mprof_heap_graph_get_retained(log->graph, objects, count, &bytes), MPROF_OK);
	cr_assert_eq(bytes, retained_plainly(heap, removed));
}

/* Without an object, a class or a set, what it retains is not reachable. */
Test(dominators, retain_what_is_dead_without_them)
{
	plain_heap heap;
	heap_log log;

	for (uint64_t seed = 0; seed < 60; seed++) {
		make_random_heap(&heap, seed);
		read_heap(&log, &heap);
		expect_retained_objects(&log, &heap);
		expect_retained_classes(&log, &heap);
		expect_retained_set(&log, &heap);
		heap_log_release(&log);
	}
}

/*
 * A shortest path to c leads through b, and a shortest path to b through a; but b has another path through d and e, so
 * neither a nor b is the only way to c.
 */
Test(dominators, of_an_object_with_two_long_paths)
{
	enum { A, B, C, D, E };
	static const plain_heap heap = {
		.node_count = 5,
		.edge_count = 5,
		.sources = {A, A, B, D, E},
		.targets = {B, C, C, E, B},
		.is_root = {1, 0, 0, 1, 0},
		.classes = {1, 1, 1, 1, 1},
		.sizes = {10, 100, 1000, 1, 1},
	};
	heap_log log;

	read_heap(&log, &heap);
	cr_expect_eq(object_at(&log, C).dominator, MPROF_HEAP_NO_OBJECT);
	cr_expect_eq(object_at(&log, B).dominator, MPROF_HEAP_NO_OBJECT);
	cr_expect_eq(object_at(&log, E).dominator, D);
	cr_expect_eq(object_at(&log, A).retained_bytes, 10);
	cr_expect_eq(object_at(&log, B).retained_bytes, 100);
	cr_expect_eq(object_at(&log, D).retained_bytes, 2);
	heap_log_release(&log);
}

/* A list as long as this overflows any stack of a recursive search. */
#define LIST_LENGTH 300000

Test(dominators, of_a_long_list)
{
	heap_content content = {NULL, NULL, 0, 0};
	uint64_t *addresses = require(malloc((LIST_LENGTH + 1) * sizeof(*addresses)));
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	for (uint32_t i = 0; i <= LIST_LENGTH; i++)
		addresses[i] = address_of(i);
	/* The last refers to the first. */
	addresses[LIST_LENGTH] = addresses[0];
	for (uint32_t i = 0; i < LIST_LENGTH; i++)
		heap_append_object(&content, addresses[i], 1, 2, &addresses[i + 1], NULL, 1);
	heap_append_root(&content, addresses[0], MPROF_ROOT_STATIC);
	heap_write(&log, &content, 1, WHOLE_SNAPSHOT, 2000000);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_OK);
	cr_expect_eq(object_at(&log, 0).retained_bytes, UINT64_C(2) * LIST_LENGTH);
	cr_expect_eq(object_at(&log, LIST_LENGTH - 1).retained_bytes, 2);
	cr_expect_eq(object_at(&log, LIST_LENGTH - 1).dominator, LIST_LENGTH - 2);
	cr_expect_eq(class_at(&log, 0).retained_bytes, UINT64_C(2) * LIST_LENGTH);
	free(addresses);
	heap_log_release(&log);
}

/*
 * An object refers to a list of this many others, whose last one refers to as many; the first object refers to these,
 * too. A search for dominators that visits the whole list for each of them does not end within the time of a test.
 */
#define FAN 600000

#define OBJECTS_PER_BLOCK 50000

static void append_fan_object(heap_content *content, const uint64_t *addresses, uint32_t i)
{
	if (i < FAN)
		heap_append_object(content, addresses[i], 1, 2, &addresses[i + 1], NULL, 1);
	else if (i == FAN)
		heap_append_object(content, addresses[i], 2, 2, &addresses[FAN + 1], NULL, FAN);
	else
		heap_append_object(content, addresses[i], 3, 2, NULL, NULL, 0);
}

Test(dominators, of_a_list_that_ends_in_a_fan)
{
	heap_content content = {NULL, NULL, 0, 0};
	uint64_t *addresses = require(malloc((2 * FAN + 1) * sizeof(*addresses)));
	uint64_t *first = require(malloc((FAN + 1) * sizeof(*first)));
	uint32_t flags = MPROF_HEAP_FLAG_FIRST;
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	for (uint32_t i = 0; i <= 2 * FAN; i++)
		addresses[i] = address_of(i);
	/* The reference to the list is followed first, so that the fan is visited from its end. */
	first[0] = addresses[1];
	memcpy(first + 1, addresses + FAN + 1, FAN * sizeof(*first));
	heap_append_root(&content, addresses[0], MPROF_ROOT_STATIC);
	heap_append_object(&content, addresses[0], 1, 2, first, NULL, FAN + 1);
	for (uint32_t i = 1; i <= 2 * FAN; i++) {
		append_fan_object(&content, addresses, i);
		if (i % OBJECTS_PER_BLOCK != 0)
			continue;
		heap_write(&log, &content, 1, flags | (i == 2 * FAN ? MPROF_HEAP_FLAG_LAST : 0), 2000000);
		flags = 0;
	}
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_build_dominators(log.graph), MPROF_OK);
	cr_expect_eq(object_at(&log, 0).retained_bytes, UINT64_C(2) * (2 * FAN + 1));
	cr_expect_eq(object_at(&log, 1).retained_bytes, UINT64_C(2) * FAN);
	cr_expect_eq(object_at(&log, FAN).dominator, FAN - 1);
	for (uint32_t i = FAN + 1; i <= 2 * FAN; i++)
		cr_assert_eq(object_at(&log, i).dominator, 0);
	free(addresses);
	free(first);
	heap_log_release(&log);
}
