/* SPDX-License-Identifier: MIT */
/* Computations over a large heap report their progress, and can be stopped. */
#include "heap/graph_fixture.h"
#include "progress_fixture.h"

#include <mprof/heap.h>

#define OBJECTS 120000
#define ROOTS 50
#define REFERENCES 3
#define FIRST_OBJECT UINT64_C(0x7f0000000000)
#define OBJECT_STEP 32

/* Objects with references to others at random. */
static void write_large_heap(heap_log *log, uint32_t number)
{
	uint64_t *references = require(malloc(sizeof(*references) * OBJECTS * REFERENCES));
	uint64_t *offsets = require(malloc(sizeof(*offsets) * OBJECTS * REFERENCES));
	heap_content content = {NULL, NULL, 0, 0};
	uint64_t state = number;

	for (uint32_t i = 0; i < OBJECTS * REFERENCES; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		references[i] = FIRST_OBJECT + (state >> 33) % OBJECTS * OBJECT_STEP;
		offsets[i] = 16 + i % REFERENCES * 8;
	}
	for (uint32_t i = 0; i < OBJECTS; i++)
		heap_append_object(&content, FIRST_OBJECT + (uint64_t)i * OBJECT_STEP, 1 + i % DEFINED_CLASSES,
				   16 + i % 100, &references[(size_t)i * REFERENCES], &offsets[(size_t)i * REFERENCES],
				   REFERENCES);
	for (uint32_t i = 0; i < ROOTS; i++)
		heap_append_root(&content, FIRST_OBJECT + (uint64_t)i * OBJECT_STEP, MPROF_ROOT_STATIC);
	heap_write(log, &content, number, WHOLE_SNAPSHOT, 2000000 + number);
	free(references);
	free(offsets);
}

/* A graph whose progress is watched, and one that is not. */
typedef struct watched_heap {
	progress_watch watch;
	counted_memory memory;
	heap_log log;
	mprof_reader *reader;
	mprof_heap_graph *plain;
	mprof_heap_diff *diff;
	mprof_heap_set *set;
	uint64_t retained;
} watched_heap;

static void read_watched(watched_heap *heap, uint32_t snapshot)
{
	mprof_heap_graph_options options = options_for(snapshot);

	counted_begin(&heap->memory);
	progress_expect(&heap->watch, 0);
	cr_assert_eq(mprof_reader_open_memory(heap->log.bytes, heap->log.length, NULL, &heap->reader), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_create(&options, &heap->plain), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_read(heap->plain, heap->reader, NULL, NULL), MPROF_OK);
	options.allocator = &heap->memory.allocator;
	options.progress = progress_seen;
	options.progress_user = &heap->watch;
	cr_assert_eq(heap_log_read(&heap->log, &options), MPROF_OK);
}

static void make_watched(watched_heap *heap)
{
	memset(heap, 0, sizeof(*heap));
	heap_log_begin(&heap->log, MPROF_DIALECT_MPROF2);
	write_large_heap(&heap->log, 1);
	write_large_heap(&heap->log, 2);
	heap_log_close(&heap->log, 0);
	read_watched(heap, 1);
}

static void forget_watched(watched_heap *heap)
{
	heap_log_forget(&heap->log);
	mprof_heap_graph_destroy(heap->plain);
	mprof_reader_destroy(heap->reader);
	cr_assert_eq(heap->memory.bytes, 0);
	free(heap->log.bytes);
}

static mprof_heap_graph_totals totals_of_graph(const mprof_heap_graph *graph)
{
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};

	cr_assert_eq(mprof_heap_graph_get_totals(graph, &totals), MPROF_OK);
	totals.used_memory = 0;
	return totals;
}

static void expect_equal_objects(const watched_heap *heap)
{
	const mprof_heap_graph_totals found = totals_of_graph(heap->log.graph);
	const mprof_heap_graph_totals plain = totals_of_graph(heap->plain);

	cr_assert_arr_eq(&found, &plain, sizeof(found));
	for (uint32_t i = 0; i < OBJECTS; i++) {
		mprof_heap_object ours = {.struct_size = sizeof(ours)};
		mprof_heap_object theirs = {.struct_size = sizeof(theirs)};

		cr_assert_eq(mprof_heap_graph_get_object(heap->log.graph, i, &ours), MPROF_OK);
		cr_assert_eq(mprof_heap_graph_get_object(heap->plain, i, &theirs), MPROF_OK);
		cr_assert_arr_eq(&ours, &theirs, sizeof(ours));
	}
	for (size_t i = 0; i < mprof_heap_graph_get_class_count(heap->plain); i++) {
		mprof_heap_class ours = {.struct_size = sizeof(ours)};
		mprof_heap_class theirs = {.struct_size = sizeof(theirs)};

		cr_assert_eq(mprof_heap_graph_get_class(heap->log.graph, i, &ours), MPROF_OK);
		cr_assert_eq(mprof_heap_graph_get_class(heap->plain, i, &theirs), MPROF_OK);
		cr_assert_arr_eq(&ours, &theirs, sizeof(ours));
	}
}

static mprof_status build_dominators(void *user)
{
	return mprof_heap_graph_build_dominators(((watched_heap *)user)->log.graph);
}

static mprof_status build_paths(void *user)
{
	return mprof_heap_graph_build_paths(((watched_heap *)user)->log.graph);
}

static mprof_status build_referrers(void *user)
{
	return mprof_heap_graph_build_referrers(((watched_heap *)user)->log.graph);
}

/* How often a computation reports, found with another graph of the same log. */
static uint64_t count_reports(watched_heap *heap, watched_call call)
{
	heap_log other = heap->log;
	mprof_heap_graph_options options = options_for(1);
	uint64_t calls;

	options.progress = progress_seen;
	options.progress_user = &heap->watch;
	progress_expect(&heap->watch, 0);
	cr_assert_eq(heap_log_read(&heap->log, &options), MPROF_OK);
	progress_expect(&heap->watch, 0);
	if (call != build_dominators)
		cr_assert_eq(mprof_heap_graph_build_dominators(heap->log.graph), MPROF_OK);
	progress_expect(&heap->watch, 0);
	cr_assert_eq(call(heap), MPROF_OK);
	calls = heap->watch.calls;
	heap_log_forget(&heap->log);
	heap->log = other;
	cr_assert_eq(heap->watch.last, heap->watch.total);
	cr_assert_geq(heap->watch.different, 10);
	return calls;
}

Test(progress, stopped_dominators_leave_the_graph_as_it_was)
{
	watched_heap heap;

	make_watched(&heap);
	progress_stop_everywhere(&heap.watch, &heap.memory, build_dominators, &heap,
				 count_reports(&heap, build_dominators));
	cr_assert_eq(mprof_heap_graph_build_dominators(heap.plain), MPROF_OK);
	expect_equal_objects(&heap);
	forget_watched(&heap);
}

Test(progress, a_graph_has_nothing_of_stopped_dominators)
{
	watched_heap heap;
	uint64_t calls;

	make_watched(&heap);
	calls = count_reports(&heap, build_dominators);
	progress_expect(&heap.watch, calls);
	cr_assert_eq(build_dominators(&heap), MPROF_ERR_INTERRUPTED);
	cr_assert_eq(heap.watch.last, heap.watch.total);
	expect_equal_objects(&heap);
	cr_assert_eq(mprof_heap_graph_get_dominated(heap.log.graph, 0, NULL, 0, &(size_t){0}), MPROF_ERR_STATE);
	forget_watched(&heap);
}

Test(progress, stopped_paths_leave_the_graph_as_it_was)
{
	watched_heap heap;

	make_watched(&heap);
	progress_stop_everywhere(&heap.watch, &heap.memory, build_paths, &heap, count_reports(&heap, build_paths));
	cr_assert_eq(mprof_heap_graph_build_paths(heap.plain), MPROF_OK);
	expect_equal_objects(&heap);
	for (uint32_t i = 0; i < OBJECTS; i++) {
		mprof_heap_reference ours;
		mprof_heap_reference theirs;

		cr_assert_eq(mprof_heap_graph_get_parent(heap.log.graph, i, &ours, sizeof(ours)), MPROF_OK);
		cr_assert_eq(mprof_heap_graph_get_parent(heap.plain, i, &theirs, sizeof(theirs)), MPROF_OK);
		cr_assert_arr_eq(&ours, &theirs, sizeof(ours));
	}
	forget_watched(&heap);
}

Test(progress, stopped_referrers_leave_the_graph_as_it_was)
{
	watched_heap heap;

	make_watched(&heap);
	progress_stop_everywhere(&heap.watch, &heap.memory, build_referrers, &heap,
				 count_reports(&heap, build_referrers));
	cr_assert_eq(mprof_heap_graph_build_referrers(heap.plain), MPROF_OK);
	expect_equal_objects(&heap);
	for (uint32_t i = 0; i < OBJECTS; i += 100) {
		mprof_heap_reference ours[64];
		mprof_heap_reference theirs[64];
		size_t count;
		size_t expected;

		cr_assert_eq(mprof_heap_graph_get_referrers(heap.log.graph, i, 0, ours, sizeof(ours[0]), 64, &count),
			     MPROF_OK);
		cr_assert_eq(mprof_heap_graph_get_referrers(heap.plain, i, 0, theirs, sizeof(theirs[0]), 64, &expected),
			     MPROF_OK);
		cr_assert_eq(count, expected);
		cr_assert_arr_eq(ours, theirs, count * sizeof(ours[0]));
	}
	forget_watched(&heap);
}

static mprof_status get_retained(void *user)
{
	static const uint32_t objects[] = {1, 2, 3, 1000, 50000};
	watched_heap *heap = user;

	return mprof_heap_graph_get_retained(heap->log.graph, objects, 5, &heap->retained);
}

static mprof_status get_retained_of_set(void *user)
{
	watched_heap *heap = user;

	return mprof_heap_set_get_retained(heap->set, &heap->retained);
}

Test(progress, a_stopped_search_for_what_objects_retain_returns_nothing)
{
	watched_heap heap;
	uint64_t calls;
	uint64_t expected;

	make_watched(&heap);
	calls = count_reports(&heap, get_retained);
	expected = heap.retained;
	progress_expect(&heap.watch, 0);
	cr_assert_eq(mprof_heap_graph_build_dominators(heap.log.graph), MPROF_OK);
	progress_expect(&heap.watch, calls);
	cr_assert_eq(get_retained(&heap), MPROF_ERR_INTERRUPTED);
	cr_assert_eq(heap.retained, 0);
	progress_stop_everywhere(&heap.watch, &heap.memory, get_retained, &heap, calls);
	cr_assert_eq(heap.retained, expected);
	cr_assert_eq(mprof_heap_set_create(heap.log.graph, &heap.set), MPROF_OK);
	cr_assert_eq(mprof_heap_set_add_class(heap.set, 2), MPROF_OK);
	progress_expect(&heap.watch, 0);
	cr_assert_eq(get_retained_of_set(&heap), MPROF_OK);
	expected = heap.retained;
	progress_stop_everywhere(&heap.watch, &heap.memory, get_retained_of_set, &heap, heap.watch.calls);
	cr_assert_eq(heap.retained, expected);
	mprof_heap_set_destroy(heap.set);
	forget_watched(&heap);
}

static mprof_status add_to_diff(void *user)
{
	watched_heap *heap = user;

	return mprof_heap_diff_add(heap->diff, heap->plain, heap->reader, 1);
}

static mprof_heap_diff *create_diff(watched_heap *heap)
{
	mprof_heap_diff_options options;
	mprof_heap_diff *diff;

	mprof_heap_diff_options_init(&options, sizeof(options));
	options.allocator = &heap->memory.allocator;
	options.is_last_at_exit = MPROF_HEAP_DIFF_END_RUNNING;
	options.progress = progress_seen;
	options.progress_user = &heap->watch;
	cr_assert_eq(mprof_heap_diff_create(&options, &diff), MPROF_OK);
	return diff;
}

static void expect_equal_diffs(const mprof_heap_diff *found, const mprof_heap_diff *expected)
{
	mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};
	mprof_heap_diff_totals wanted = {.struct_size = sizeof(wanted)};

	cr_assert_eq(mprof_heap_diff_get_totals(found, &totals), MPROF_OK);
	cr_assert_eq(mprof_heap_diff_get_totals(expected, &wanted), MPROF_OK);
	cr_assert_eq(totals.snapshots, wanted.snapshots);
	cr_assert_eq(totals.classes, wanted.classes);
	cr_assert_eq(totals.shapes, wanted.shapes);
	for (size_t snapshot = 0; snapshot < wanted.snapshots; snapshot++) {
		for (size_t i = 0; i < wanted.shapes; i++) {
			mprof_heap_shape ours = {.struct_size = sizeof(ours)};
			mprof_heap_shape theirs = {.struct_size = sizeof(theirs)};

			cr_assert_eq(mprof_heap_diff_get_shape(found, i, snapshot, &ours), MPROF_OK);
			cr_assert_eq(mprof_heap_diff_get_shape(expected, i, snapshot, &theirs), MPROF_OK);
			cr_assert_str_eq(ours.name, theirs.name);
			cr_assert_str_eq(ours.class_name, theirs.class_name);
			ours.name = theirs.name;
			ours.class_name = theirs.class_name;
			cr_assert_arr_eq(&ours, &theirs, sizeof(ours));
		}
	}
}

/* Snapshots in the order of \p order are added; each is stopped at several points before. */
Test(progress, a_stopped_comparison_is_as_before)
{
	watched_heap heap;
	mprof_heap_diff *expected;
	uint64_t calls[2];

	make_watched(&heap);
	heap_log_forget(&heap.log);
	expected = create_diff(&heap);
	heap.diff = create_diff(&heap);
	for (uint32_t i = 0; i < 2; i++) {
		mprof_heap_graph_options options = options_for(i + 1);
		mprof_heap_diff *watched = heap.diff;

		mprof_heap_graph_destroy(heap.plain);
		mprof_reader_destroy(heap.reader);
		cr_assert_eq(mprof_reader_open_memory(heap.log.bytes, heap.log.length, NULL, &heap.reader), MPROF_OK);
		cr_assert_eq(mprof_heap_graph_create(&options, &heap.plain), MPROF_OK);
		cr_assert_eq(mprof_heap_graph_read(heap.plain, heap.reader, NULL, NULL), MPROF_OK);
		heap.diff = expected;
		progress_expect(&heap.watch, 0);
		cr_assert_eq(add_to_diff(&heap), MPROF_OK);
		cr_assert_eq(heap.watch.last, heap.watch.total);
		cr_assert_geq(heap.watch.different, 10);
		calls[i] = heap.watch.calls;
		heap.diff = watched;
		for (uint64_t stop = 1; stop <= calls[i]; stop += i == 0 ? 1 : 7) {
			mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};

			progress_expect(&heap.watch, stop);
			cr_assert_eq(add_to_diff(&heap), MPROF_ERR_INTERRUPTED);
			cr_assert_eq(mprof_heap_diff_get_totals(heap.diff, &totals), MPROF_OK);
			cr_assert_eq(totals.snapshots, i);
			cr_assert(i > 0 || (totals.classes == 0 && totals.shapes == 0));
		}
		progress_expect(&heap.watch, 0);
		cr_assert_eq(add_to_diff(&heap), MPROF_OK);
		expect_equal_diffs(heap.diff, expected);
	}
	mprof_heap_diff_destroy(expected);
	mprof_heap_diff_destroy(heap.diff);
	forget_watched(&heap);
}

/* A comparison with so many shapes that the search for growth takes long. */
static mprof_status get_growth(void *user)
{
	watched_heap *heap = user;
	size_t count;
	const mprof_status status = mprof_heap_diff_get_growth(heap->diff, NULL, sizeof(mprof_heap_growth), 0, &count);

	if (status == MPROF_OK)
		heap->retained = count;
	else
		cr_assert_eq(count, 0);
	return status;
}

Test(progress, a_stopped_search_for_growth_returns_nothing)
{
	watched_heap heap;
	uint64_t expected;

	make_watched(&heap);
	heap.diff = create_diff(&heap);
	progress_expect(&heap.watch, 0);
	cr_assert_eq(add_to_diff(&heap), MPROF_OK);
	progress_expect(&heap.watch, 0);
	cr_assert_eq(add_to_diff(&heap), MPROF_OK);
	progress_expect(&heap.watch, 0);
	cr_assert_eq(get_growth(&heap), MPROF_OK);
	cr_assert_eq(heap.watch.last, heap.watch.total);
	cr_assert_geq(heap.watch.calls, 3);
	expected = heap.retained;
	progress_stop_everywhere(&heap.watch, &heap.memory, get_growth, &heap, heap.watch.calls);
	cr_assert_eq(heap.retained, expected);
	mprof_heap_diff_destroy(heap.diff);
	forget_watched(&heap);
}

static mprof_status read_graph(void *user)
{
	watched_heap *heap = user;

	return mprof_heap_graph_read(heap->log.graph, heap->log.reader, NULL, NULL);
}

/* Reading that is stopped while it links the objects continues where it was; it holds nothing before the end. */
Test(progress, stopped_linking_continues)
{
	watched_heap heap;
	mprof_heap_graph_options options = options_for(1);
	uint64_t calls;

	make_watched(&heap);
	heap_log_forget(&heap.log);
	options.allocator = &heap.memory.allocator;
	options.progress = progress_seen;
	options.progress_user = &heap.watch;
	progress_expect(&heap.watch, 0);
	cr_assert_eq(heap_log_read(&heap.log, &options), MPROF_OK);
	calls = heap.watch.calls;
	cr_assert_eq(heap.watch.last, heap.watch.total);
	cr_assert_geq(heap.watch.different, 10);
	expect_equal_objects(&heap);
	for (uint64_t stop = 1; stop <= calls; stop++) {
		mprof_heap_graph_totals totals;

		heap_log_forget(&heap.log);
		cr_assert_eq(heap.memory.bytes, 0);
		progress_expect(&heap.watch, stop);
		cr_assert_eq(heap_log_read(&heap.log, &options), MPROF_ERR_INTERRUPTED);
		totals = totals_of_graph(heap.log.graph);
		cr_assert_eq(totals.objects, 0);
		cr_assert_eq(mprof_heap_graph_build_dominators(heap.log.graph), MPROF_ERR_STATE);
		/* Once more at once, and in the middle of the rest. */
		progress_expect(&heap.watch, 1);
		cr_assert_eq(read_graph(&heap), MPROF_ERR_INTERRUPTED);
		if (stop % 2 != 0) {
			progress_expect(&heap.watch, 2);
			cr_assert_eq(read_graph(&heap), MPROF_ERR_INTERRUPTED);
		}
		/* Some are abandoned. */
		if (stop % 3 == 0)
			continue;
		progress_expect(&heap.watch, 0);
		cr_assert_eq(read_graph(&heap), MPROF_OK);
		cr_assert_eq(heap.watch.last, heap.watch.total);
		expect_equal_objects(&heap);
		cr_assert_eq(read_graph(&heap), MPROF_ERR_STATE);
	}
	forget_watched(&heap);
}

static mprof_heap_set_totals totals_of_set(const mprof_heap_set *set)
{
	mprof_heap_set_totals totals = {.struct_size = sizeof(totals)};

	cr_assert_eq(mprof_heap_set_get_totals(set, &totals), MPROF_OK);
	return totals;
}

/* Adding objects by their references is repeated after a stop, and has then added all. */
Test(progress, stopped_searches_by_reference_add_the_rest)
{
	typedef mprof_status (*add_function)(mprof_heap_set * set, const mprof_heap_set *others);

	static const add_function add[] = {mprof_heap_set_add_referencing, mprof_heap_set_add_referenced};
	watched_heap heap;
	mprof_heap_set *others;

	make_watched(&heap);
	cr_assert_eq(mprof_heap_set_create(heap.log.graph, &others), MPROF_OK);
	cr_assert_eq(mprof_heap_set_add_class(others, 2), MPROF_OK);
	for (size_t i = 0; i < 2; i++) {
		mprof_heap_set_totals expected;
		uint64_t calls;

		cr_assert_eq(mprof_heap_set_create(heap.log.graph, &heap.set), MPROF_OK);
		progress_expect(&heap.watch, 0);
		cr_assert_eq(add[i](heap.set, others), MPROF_OK);
		calls = heap.watch.calls;
		cr_assert_eq(heap.watch.last, heap.watch.total);
		cr_assert_geq(heap.watch.different, 10);
		expected = totals_of_set(heap.set);
		mprof_heap_set_destroy(heap.set);
		for (uint64_t stop = 1; stop <= calls; stop += 3) {
			mprof_heap_set_totals found;

			cr_assert_eq(mprof_heap_set_create(heap.log.graph, &heap.set), MPROF_OK);
			progress_expect(&heap.watch, stop);
			cr_assert_eq(add[i](heap.set, others), MPROF_ERR_INTERRUPTED);
			cr_assert_eq(heap.watch.calls, stop);
			progress_expect(&heap.watch, 0);
			cr_assert_eq(add[i](heap.set, others), MPROF_OK);
			found = totals_of_set(heap.set);
			cr_assert_arr_eq(&found, &expected, sizeof(found));
			mprof_heap_set_destroy(heap.set);
		}
	}
	mprof_heap_set_destroy(others);
	forget_watched(&heap);
}
