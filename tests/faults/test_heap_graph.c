/* SPDX-License-Identifier: MIT */
/*
 * Builds the heap graphs of logs with each request for memory refused: the results are the same, or an error is
 * returned; and it terminates.
 */
#include "fault_content.h"
#include "heap/random_heap.h"

#include <mprof/heap.h>

#include <criterion/criterion.h>

#include <string.h>

#define LAST_RESORT 3000
#define STEPS 64

/* Graphs whose dominators were computed. */
static size_t analysed_count;

/* Path shapes that grew. */
static size_t grown_count;

static void hash_totals(fault_run *run, const mprof_heap_graph *graph)
{
	mprof_heap_graph_totals totals;

	memset(&totals, 0, sizeof(totals));
	totals.struct_size = sizeof(totals);
	cr_assert_eq(mprof_heap_graph_get_totals(graph, &totals), MPROF_OK);
	fault_hash_bytes(run, &totals, sizeof(totals));
	analysed_count += totals.has_dominators;
	for (size_t i = 0; i < totals.roots; i++) {
		mprof_heap_root root = {.struct_size = sizeof(root)};

		cr_assert_eq(mprof_heap_graph_get_root(graph, i, &root), MPROF_OK);
		fault_hash_number(run, root.object);
		fault_hash_number(run, root.area);
	}
}

static void hash_classes(fault_run *run, const mprof_heap_graph *graph)
{
	for (size_t i = 0; i < mprof_heap_graph_get_snapshot_count(graph); i++) {
		mprof_heap_snapshot snapshot;

		memset(&snapshot, 0, sizeof(snapshot));
		snapshot.struct_size = sizeof(snapshot);
		cr_assert_eq(mprof_heap_graph_get_snapshot(graph, i, &snapshot), MPROF_OK);
		fault_hash_bytes(run, &snapshot, sizeof(snapshot));
	}
	for (size_t i = 0; i < mprof_heap_graph_get_class_count(graph); i++) {
		mprof_heap_class stats;

		memset(&stats, 0, sizeof(stats));
		stats.struct_size = sizeof(stats);
		cr_assert_eq(mprof_heap_graph_get_class(graph, i, &stats), MPROF_OK);
		fault_hash_bytes(run, &stats, sizeof(stats));
	}
}

static void hash_path(fault_run *run, const mprof_heap_graph *graph, uint32_t object)
{
	mprof_heap_root root = {.struct_size = sizeof(root)};
	mprof_heap_step steps[STEPS];
	size_t count;
	mprof_status status;

	memset(steps, 0, sizeof(steps));
	status = mprof_heap_graph_get_path(graph, object, &root, steps, sizeof(steps[0]), STEPS, &count);
	fault_hash_number(run, status);
	fault_hash_number(run, count);
	fault_hash_bytes(run, steps, sizeof(steps));
}

static void hash_objects(fault_run *run, const mprof_heap_graph *graph)
{
	mprof_heap_object object;

	memset(&object, 0, sizeof(object));
	object.struct_size = sizeof(object);
	for (uint32_t i = 0; mprof_heap_graph_get_object(graph, i, &object) == MPROF_OK; i++) {
		mprof_heap_reference references[STEPS];
		size_t count;

		fault_hash_bytes(run, &object, sizeof(object));
		hash_path(run, graph, i);
		memset(references, 0, sizeof(references));
		(void)mprof_heap_graph_get_references(graph, i, 0, references, sizeof(references[0]), STEPS, &count);
		fault_hash_bytes(run, references, sizeof(references));
		(void)mprof_heap_graph_get_referrers(graph, i, 0, references, sizeof(references[0]), STEPS, &count);
		fault_hash_bytes(run, references, sizeof(references));
	}
}

/* Whether a result is that of refused memory; an older dialect has no roots. */
static int note_result(fault_run *run, mprof_status *status, mprof_status result)
{
	fault_hash_number(run, result);
	if (result == MPROF_ERR_MEMORY)
		*status = result;
	return result == MPROF_ERR_MEMORY;
}

static mprof_status analyse(fault_run *run, mprof_heap_graph *graph, mprof_reader *reader)
{
	const uint32_t first = 0;
	mprof_status status = mprof_heap_graph_read(graph, reader, fault_note_damage, run);
	uint64_t bytes;

	if (status == MPROF_ERR_MEMORY || note_result(run, &status, mprof_heap_graph_build_dominators(graph)) ||
	    note_result(run, &status, mprof_heap_graph_build_paths(graph)) ||
	    note_result(run, &status, mprof_heap_graph_build_referrers(graph)) ||
	    note_result(run, &status, mprof_heap_graph_get_retained(graph, &first, 1, &bytes)))
		return status;
	fault_hash_number(run, bytes);
	return status;
}

static mprof_status graph_log(fault_run *run, const log_bytes *log)
{
	const mprof_reader_options reader_options = fault_reader_options(run);
	mprof_heap_graph_options options;
	mprof_reader *reader = NULL;
	mprof_heap_graph *graph = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &reader_options, &reader);

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.allocator = &run->allocator;
	if (reader != NULL)
		status = mprof_heap_graph_create(&options, &graph);
	if (graph != NULL) {
		status = analyse(run, graph, reader);
		hash_totals(run, graph);
		hash_classes(run, graph);
		hash_objects(run, graph);
	}
	mprof_heap_graph_destroy(graph);
	mprof_reader_destroy(reader);
	return status;
}

static void hash_diff(fault_run *run, const mprof_heap_diff *diff)
{
	mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};

	cr_assert_eq(mprof_heap_diff_get_totals(diff, &totals), MPROF_OK);
	for (size_t i = 0; i < totals.snapshots; i++) {
		mprof_heap_diff_class stats = {.struct_size = sizeof(stats)};
		mprof_heap_shape shape = {.struct_size = sizeof(shape)};

		for (size_t j = 0; mprof_heap_diff_get_class(diff, j, i, &stats) == MPROF_OK; j++) {
			fault_hash_bytes(run, stats.name, strlen(stats.name));
			fault_hash_number(run, stats.objects);
			fault_hash_number(run, stats.retained_bytes);
		}
		for (size_t j = 0; mprof_heap_diff_get_shape(diff, j, i, &shape) == MPROF_OK; j++) {
			fault_hash_bytes(run, shape.name, strlen(shape.name));
			fault_hash_number(run, shape.held_objects);
			fault_hash_number(run, shape.held_bytes);
			fault_hash_number(run, shape.example);
		}
	}
}

/* Adds a snapshot to a comparison. Returns #MPROF_AGAIN if the log has no such snapshot. */
static mprof_status add_snapshot(fault_run *run, const log_bytes *log, mprof_heap_diff *diff, uint32_t snapshot)
{
	const mprof_reader_options reader_options = fault_reader_options(run);
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};
	mprof_heap_graph_options options;
	mprof_reader *reader = NULL;
	mprof_heap_graph *graph = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &reader_options, &reader);

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.allocator = &run->allocator;
	options.snapshot = snapshot;
	if (reader != NULL)
		status = mprof_heap_graph_create(&options, &graph);
	if (graph != NULL) {
		status = mprof_heap_graph_read(graph, reader, fault_note_damage, run);
		cr_assert_eq(mprof_heap_graph_get_totals(graph, &totals), MPROF_OK);
		if (status != MPROF_ERR_MEMORY)
			status = totals.snapshot != 0 ? mprof_heap_diff_add(diff, graph, reader, 1) : MPROF_AGAIN;
	}
	mprof_heap_graph_destroy(graph);
	mprof_reader_destroy(reader);
	return status;
}

static mprof_status diff_log(fault_run *run, const log_bytes *log)
{
	mprof_heap_diff_options options;
	mprof_heap_growth growths[STEPS];
	mprof_heap_diff *diff = NULL;
	mprof_status status;
	size_t count = 0;

	mprof_heap_diff_options_init(&options, sizeof(options));
	options.allocator = &run->allocator;
	status = mprof_heap_diff_create(&options, &diff);
	for (uint32_t snapshot = 1; status == MPROF_OK; snapshot++)
		status = add_snapshot(run, log, diff, snapshot);
	if (status == MPROF_AGAIN) {
		memset(growths, 0, sizeof(growths));
		status = mprof_heap_diff_get_growth(diff, growths, sizeof(growths[0]), STEPS, &count);
		fault_hash_number(run, count);
		fault_hash_bytes(run, growths, sizeof(growths));
		hash_diff(run, diff);
		grown_count += count;
	}
	mprof_heap_diff_destroy(diff);
	return status;
}

Test(faults_heap_graph, of_a_whole_log, .timeout = LAST_RESORT)
{
	fault_try_all(graph_log);
}

/* Graphs with roots, and references between objects in no order. */
Test(faults_heap_graph, of_random_heaps, .timeout = LAST_RESORT)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		plain_heap heap;
		heap_log created;
		log_bytes log;

		make_random_heap(&heap, seed);
		heap_log_begin(&created, MPROF_DIALECT_MPROF2);
		write_plain_heap(&created, &heap, 1);
		write_plain_heap(&created, &heap, 2);
		heap_log_close(&created, 0);
		log.bytes = created.bytes;
		log.length = created.length;
		fault_try_log("random heap", &log, graph_log);
		fault_try_log("random heap", &log, diff_log);
		heap_log_release(&created);
	}
	cr_log_info("%zu graphs have dominators", analysed_count);
	cr_assert_geq(analysed_count, 6);
}

/* Snapshots of which each has one more object, held by another one. */
Test(faults_heap_graph, of_snapshots_that_grow, .timeout = LAST_RESORT)
{
	heap_log created;
	log_bytes log;

	heap_log_begin(&created, MPROF_DIALECT_MPROF2);
	for (uint32_t snapshot = 1; snapshot <= 4; snapshot++) {
		plain_heap heap = {.node_count = 3 + snapshot, .edge_count = 2 + snapshot, .is_root = {1}};

		for (uint32_t i = 0; i < heap.node_count; i++) {
			heap.classes[i] = i == 0 ? 1 : 2;
			heap.sizes[i] = 24;
			heap.targets[i] = i + 1;
		}
		write_plain_heap(&created, &heap, snapshot);
	}
	heap_log_close(&created, 0);
	log.bytes = created.bytes;
	log.length = created.length;
	fault_try_log("growing heap", &log, diff_log);
	heap_log_release(&created);
	cr_assert_gt(grown_count, 0);
}
