/* SPDX-License-Identifier: MIT */
/* Creates comparisons of heap snapshots, and adds snapshots to them. */
#include "heap/diff_internal.h"

#include "base/options.h"
#include "heap/graph_internal.h"

#include <stdio.h>

#define DEFAULT_MAX_MEMORY (UINT64_C(1) << 30)
#define DEFAULT_MAX_SHAPES (UINT32_C(1) << 18)
#define DEFAULT_MAX_DEPTH 64
#define MAX_SHAPES (UINT32_C(1) << 30)

void mprof_heap_diff_options_init(mprof_heap_diff_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_heap_diff_create(const mprof_heap_diff_options *options, mprof_heap_diff **diff)
{
	mprof_heap_diff_options own;
	mprof_allocator allocator;
	mprof_heap_diff *made;

	if (diff == NULL)
		return MPROF_ERR_ARGUMENT;
	*diff = NULL;
	if (struct_copy_in(&own, options, sizeof(own)) != MPROF_OK || own.max_shapes > MAX_SHAPES ||
	    own.is_last_at_exit > MPROF_HEAP_DIFF_END_RUNNING || !allocator_init(&allocator, own.allocator))
		return MPROF_ERR_ARGUMENT;
	made = allocator_allocate_zeroed(&allocator, sizeof(*made));
	if (made == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&made->budget, &allocator, own.max_memory != 0 ? own.max_memory : DEFAULT_MAX_MEMORY);
	name_pool_init(&made->class_names, &made->budget.allocator);
	name_pool_init(&made->names, &made->budget.allocator);
	shape_table_init(&made->shapes, &made->budget.allocator,
			 own.max_shapes != 0 ? own.max_shapes : DEFAULT_MAX_SHAPES,
			 own.max_depth != 0 ? own.max_depth : DEFAULT_MAX_DEPTH);
	made->end = own.is_last_at_exit;
	made->progress = own.progress;
	made->progress_user = own.progress_user;
	*diff = made;
	return MPROF_OK;
}

static void release_snapshot(diff_snapshot *snapshot, const mprof_allocator *allocator)
{
	allocator_release(allocator, snapshot->classes, snapshot->class_count * sizeof(*snapshot->classes));
	shape_sums_release(&snapshot->shapes, allocator);
}

void mprof_heap_diff_destroy(mprof_heap_diff *diff)
{
	mprof_allocator allocator;

	if (diff == NULL)
		return;
	for (size_t i = 0; i < diff->count; i++)
		release_snapshot(&diff->snapshots[i], &diff->budget.allocator);
	allocator_release(&diff->budget.allocator, diff->snapshots, diff->capacity * sizeof(*diff->snapshots));
	shape_table_destroy(&diff->shapes);
	name_pool_destroy(&diff->names);
	name_pool_destroy(&diff->class_names);
	allocator = diff->budget.source;
	allocator_release(&allocator, diff, sizeof(*diff));
}

/* Finds the number of a class's name. One without a name has its ID, and is the same only in the same log. */
static int put_class_name(mprof_heap_diff *diff, const mprof_reader *reader, uint32_t class_id, uint32_t log,
			  uint32_t *number)
{
	char text[16];
	mprof_mapping mapping;

	if (mprof_reader_lookup_class(reader, class_id, &mapping, sizeof(mapping)) == MPROF_OK)
		return name_pool_put(&diff->class_names, mapping.name, 0, number);
	(void)snprintf(text, sizeof(text), "#%lu", (unsigned long)class_id);
	return name_pool_put(&diff->class_names, text, (uint64_t)log + 1, number);
}

static int put_class_names(mprof_heap_diff *diff, const object_graph *graph, const mprof_reader *reader, uint32_t log,
			   progress *going, uint32_t *numbers)
{
	for (size_t i = 0; i < graph->class_count; i++) {
		if (!progress_step(going) ||
		    !put_class_name(diff, reader, graph->class_table[i].class_id, log, &numbers[i]))
			return 0;
	}
	return 1;
}

static int sum_classes(const mprof_heap_diff *diff, const object_graph *graph, const uint32_t *numbers,
		       diff_snapshot *snapshot)
{
	size_t count = diff->class_names.count;

	if (count == 0)
		return 1;
	snapshot->classes = allocator_allocate_zeroed(&diff->budget.allocator, count * sizeof(*snapshot->classes));
	if (snapshot->classes == NULL)
		return 0;
	snapshot->class_count = count;
	for (size_t i = 0; i < graph->class_count; i++) {
		const object_class *from = &graph->class_table[i];
		diff_class *to = &snapshot->classes[numbers[i]];

		to->objects += from->objects;
		to->bytes = shape_add_bytes(to->bytes, from->bytes);
		to->reachable_objects += from->reachable_objects;
		to->reachable_bytes = shape_add_bytes(to->reachable_bytes, from->reachable_bytes);
		to->retained_bytes = shape_add_bytes(to->retained_bytes, from->retained_bytes);
	}
	return 1;
}

static void note_facts(mprof_heap_diff_snapshot *facts, const mprof_heap_graph *graph, const shape_sums *sums)
{
	const snapshot_record *record = &graph->snapshots.records[graph->gathered_for];

	facts->snapshot = (uint32_t)graph->gathered_for + 1;
	facts->number = record->number;
	facts->incomplete = record->is_incomplete != 0;
	facts->time_ns = record->time_ns;
	facts->has_roots = graph->objects.root_count != 0;
	facts->has_retained = graph->dominators.dominators != NULL;
	facts->objects = graph->objects.object_count;
	facts->bytes = graph->objects.bytes;
	facts->missing_references = graph->objects.missing_references;
	facts->reachable_objects = sums->reachable_objects;
	facts->reachable_bytes = sums->reachable_bytes;
	facts->inexact_objects = sums->inexact_objects;
}

/* Sums up a snapshot. Returns 0 if there is no memory or it was stopped; it must be released in any case. */
static int sum_snapshot(mprof_heap_diff *diff, const mprof_heap_graph *graph, const mprof_reader *reader, uint32_t log,
			progress *going, diff_snapshot *snapshot)
{
	size_t size = (graph->objects.class_count + 1) * sizeof(uint32_t);
	uint32_t *numbers = allocator_allocate(&diff->budget.allocator, size);
	const shape_names names = {&diff->shapes, &diff->names, numbers};
	int is_done = numbers != NULL && progress_begin(going, graph->objects.class_count) &&
		      put_class_names(diff, &graph->objects, reader, log, going, numbers) &&
		      sum_classes(diff, &graph->objects, numbers, snapshot) &&
		      progress_begin(going, shape_search_steps(&graph->objects)) &&
		      shape_search_run(&graph->objects, reader, &names, going, &snapshot->shapes) &&
		      progress_end(going);

	allocator_release(&diff->budget.allocator, numbers, size);
	return is_done;
}

/* What the log states may stand after the snapshots that it is about, so it applies to all of the log added so far. */
static void note_shutdown(mprof_heap_diff *diff, const mprof_reader *reader, uint32_t log)
{
	mprof_session session = {.struct_size = sizeof(session)};

	(void)mprof_reader_get_session(reader, &session);
	for (size_t i = 0; i < diff->count; i++) {
		if (diff->snapshots[i].facts.log == log)
			diff->snapshots[i].usual_count = session.snapshots_before_shutdown;
	}
}

/* As sum_snapshot(), but the comparison is as before if it returns 0. */
static int try_snapshot(mprof_heap_diff *diff, const mprof_heap_graph *graph, const mprof_reader *reader, uint32_t log,
			progress *going, diff_snapshot *snapshot)
{
	const size_t class_names = diff->class_names.count;
	const size_t names = diff->names.count;
	const shape_table_size shapes = shape_table_get_size(&diff->shapes);

	if (sum_snapshot(diff, graph, reader, log, going, snapshot))
		return 1;
	release_snapshot(snapshot, &diff->budget.allocator);
	shape_table_truncate(&diff->shapes, &shapes);
	name_pool_truncate(&diff->names, names);
	name_pool_truncate(&diff->class_names, class_names);
	return 0;
}

mprof_status mprof_heap_diff_add(mprof_heap_diff *diff, const mprof_heap_graph *graph, const mprof_reader *reader,
				 uint32_t log)
{
	diff_snapshot made;
	mprof_status status;
	progress going;
	void *snapshots;

	if (diff == NULL || graph == NULL || reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!graph->is_read || graph->failed != MPROF_OK || graph->gathered_for == SNAPSHOT_NONE)
		return MPROF_ERR_STATE;
	snapshots = diff->snapshots;
	status = memory_budget_reserve(&diff->budget, &snapshots, &diff->capacity, diff->count + 1,
				       sizeof(*diff->snapshots));
	diff->snapshots = snapshots;
	if (status != MPROF_OK)
		return status;
	memset(&made, 0, sizeof(made));
	progress_init(&going, diff->progress, diff->progress_user,
		      graph->objects.class_count + shape_search_steps(&graph->objects));
	if (!try_snapshot(diff, graph, reader, log, &going, &made))
		return progress_status(&going, memory_budget_status(&diff->budget));
	made.facts.log = log;
	note_facts(&made.facts, graph, &made.shapes);
	diff->snapshots[diff->count++] = made;
	note_shutdown(diff, reader, log);
	return MPROF_OK;
}
