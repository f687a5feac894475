/* SPDX-License-Identifier: MIT */
/* Compares heap snapshots. */
#include <mprof/heap.h>

#include "base/allocator.h"
#include "base/caller_structs.h"
#include "base/memory_budget.h"
#include "base/sort.h"
#include "heap/graph_internal.h"
#include "heap/shape_search.h"

#include <stdio.h>

/* The objects of a class in one snapshot. */
typedef struct diff_class {
	uint64_t objects;
	uint64_t bytes;
	uint64_t reachable_objects;
	uint64_t reachable_bytes;
	uint64_t retained_bytes;
} diff_class;

typedef struct diff_snapshot {
	mprof_heap_diff_snapshot facts;
	diff_class *classes; /* By number of the class's name; classes that were added later have no objects. */
	size_t class_count;
	shape_sums shapes;
	uint64_t usual_count; /* mprof_session::snapshots_before_shutdown of its log, as known so far. */
} diff_snapshot;

struct mprof_heap_diff {
	memory_budget budget;
	name_pool class_names; /* The numbers of names are those of classes. */
	name_pool names;       /* Of fields and roots. */
	shape_table shapes;
	diff_snapshot *snapshots;
	size_t count;
	size_t capacity;
	uint32_t end; /* An mprof_heap_diff_end. */
	mprof_progress_function progress;
	void *progress_user;
};

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
	mprof_heap_diff_options copy;
	mprof_allocator allocator;
	mprof_heap_diff *created;

	if (diff == NULL)
		return MPROF_ERR_ARGUMENT;
	*diff = NULL;
	if (struct_copy_in(&copy, options, sizeof(copy)) != MPROF_OK || copy.max_shapes > MAX_SHAPES ||
	    copy.reserved != 0 || copy.is_last_at_exit > MPROF_HEAP_DIFF_END_RUNNING ||
	    !allocator_init(&allocator, copy.allocator))
		return MPROF_ERR_ARGUMENT;
	created = allocator_allocate_zeroed(&allocator, sizeof(*created));
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	memory_budget_init(&created->budget, &allocator, copy.max_memory != 0 ? copy.max_memory : DEFAULT_MAX_MEMORY);
	name_pool_init(&created->class_names, &created->budget.allocator);
	name_pool_init(&created->names, &created->budget.allocator);
	shape_table_init(&created->shapes, &created->budget.allocator,
			 copy.max_shapes != 0 ? copy.max_shapes : DEFAULT_MAX_SHAPES,
			 copy.max_depth != 0 ? copy.max_depth : DEFAULT_MAX_DEPTH);
	created->end = copy.is_last_at_exit;
	created->progress = copy.progress;
	created->progress_user = copy.progress_user;
	*diff = created;
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
	diff_snapshot created;
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
	memset(&created, 0, sizeof(created));
	progress_init(&going, diff->progress, diff->progress_user,
		      graph->objects.class_count + shape_search_steps(&graph->objects));
	if (!try_snapshot(diff, graph, reader, log, &going, &created))
		return progress_status(&going, memory_budget_status(&diff->budget));
	created.facts.log = log;
	note_facts(&created.facts, graph, &created.shapes);
	diff->snapshots[diff->count++] = created;
	note_shutdown(diff, reader, log);
	return MPROF_OK;
}

mprof_status mprof_heap_diff_get_totals(const mprof_heap_diff *diff, mprof_heap_diff_totals *totals)
{
	mprof_heap_diff_totals copy;

	if (diff == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&copy, 0, sizeof(copy));
	copy.snapshots = diff->count;
	copy.classes = diff->class_names.count;
	copy.shapes = diff->shapes.count;
	copy.used_memory = diff->budget.used;
	return struct_copy_out(totals, &copy, sizeof(copy));
}

mprof_status mprof_heap_diff_get_snapshot(const mprof_heap_diff *diff, size_t index, mprof_heap_diff_snapshot *snapshot)
{
	if (diff == NULL || index >= diff->count)
		return MPROF_ERR_ARGUMENT;
	return struct_copy_out(snapshot, &diff->snapshots[index].facts, sizeof(*snapshot));
}

mprof_status mprof_heap_diff_get_class(const mprof_heap_diff *diff, size_t index, size_t snapshot,
				       mprof_heap_diff_class *stats)
{
	mprof_heap_diff_class copy;

	if (diff == NULL || snapshot >= diff->count || index >= diff->class_names.count)
		return MPROF_ERR_ARGUMENT;
	memset(&copy, 0, sizeof(copy));
	copy.name = diff->class_names.names[index].text;
	copy.has_name = diff->class_names.names[index].scope == 0;
	if (index < diff->snapshots[snapshot].class_count) {
		const diff_class *found = &diff->snapshots[snapshot].classes[index];

		copy.objects = found->objects;
		copy.bytes = found->bytes;
		copy.reachable_objects = found->reachable_objects;
		copy.reachable_bytes = found->reachable_bytes;
		copy.retained_bytes = found->retained_bytes;
	}
	return struct_copy_out(stats, &copy, sizeof(copy));
}

mprof_status mprof_heap_diff_get_shape(const mprof_heap_diff *diff, size_t index, size_t snapshot,
				       mprof_heap_shape *shape)
{
	const path_shape *found;
	mprof_heap_shape copy;

	if (diff == NULL || snapshot >= diff->count || index >= diff->shapes.count)
		return MPROF_ERR_ARGUMENT;
	found = &diff->shapes.shapes[index];
	memset(&copy, 0, sizeof(copy));
	copy.parent = found->parent;
	copy.class_index = found->class_index;
	copy.root_kind = found->root_kind;
	copy.depth = found->depth;
	copy.is_recursive = found->is_recursive;
	copy.class_name = diff->class_names.names[found->class_index].text;
	copy.name = diff->names.names[found->name].text;
	if (index < diff->snapshots[snapshot].shapes.count) {
		const shape_sum *sum = &diff->snapshots[snapshot].shapes.sums[index];

		copy.objects = sum->objects;
		copy.bytes = sum->bytes;
		copy.held_objects = sum->held_objects;
		copy.held_bytes = sum->held_bytes;
		copy.example = sum->example;
	}
	return struct_copy_out(shape, &copy, sizeof(copy));
}

#define MIN_SNAPSHOTS 2

/*
 * A program that ends does not add objects, and drops some. Its last snapshot is not evidence against a shape that grew
 * in this many snapshots before, the first one included, if it has at least this percentage of what the one before it
 * has.
 */
#define MIN_GROWN 3
#define MIN_KEPT_PERCENT 90

/*
 * A shape that did not grow in each snapshot, because some were taken shortly after another one, must have grown this
 * often. Stacks may hold a few objects longer than they are used, so it may also shrink by this percentage, but must
 * then have grown clearly.
 */
#define MIN_INCREASES 3
#define NOISE_PERCENT 2
#define CLEAR_PERCENT 10

/* What is known of a shape. */
#define SHAPE_GREW 1    /* It grew, and is listed. */
#define SHAPE_COVERED 2 /* It continues a shape that is listed. */
#define SHAPE_COVERS 4  /* A shape that continues it is listed. */

typedef struct growth_search {
	const mprof_heap_diff *diff;
	const mprof_allocator *allocator;
	const diff_snapshot *first; /* The first and the last snapshot that are compared. */
	const diff_snapshot *last;
	uint32_t compared_count;
	uint8_t *marks; /* By shape. */
	mprof_heap_growth *found;
	size_t count;
	size_t capacity;
	progress *going;
} growth_search;

/* Whether the log states that the runtime was shutting down when a snapshot was taken: nothing grows any more. */
static int is_of_shutdown(const mprof_heap_diff *diff, const diff_snapshot *snapshot)
{
	return diff->end == MPROF_HEAP_DIFF_END_LOG && snapshot->facts.number > snapshot->usual_count;
}

static int is_usable(const mprof_heap_diff *diff, const diff_snapshot *snapshot)
{
	return !snapshot->facts.incomplete && snapshot->facts.has_roots && !is_of_shutdown(diff, snapshot);
}

/* The snapshot that may be that of the program's end, or NULL. */
static const diff_snapshot *find_end(const mprof_heap_diff *diff)
{
	const diff_snapshot *last = diff->count > 0 ? &diff->snapshots[diff->count - 1] : NULL;

	if (last == NULL || diff->end == MPROF_HEAP_DIFF_END_RUNNING ||
	    (diff->end == MPROF_HEAP_DIFF_END_LOG && last->usual_count != UINT64_MAX))
		return NULL;
	return last;
}

static void choose_snapshots(growth_search *search)
{
	for (size_t i = 0; i < search->diff->count; i++) {
		const diff_snapshot *snapshot = &search->diff->snapshots[i];

		if (!is_usable(search->diff, snapshot))
			continue;
		if (search->compared_count++ == 0)
			search->first = snapshot;
		search->last = snapshot;
	}
}

static shape_sum sum_of(const diff_snapshot *snapshot, size_t shape)
{
	static const shape_sum none;

	return shape < snapshot->shapes.count ? snapshot->shapes.sums[shape] : none;
}

/* The objects of a class, or if \p is_by_size their bytes. */
static uint64_t sum_of_class(const diff_snapshot *snapshot, uint32_t class_index, int is_by_size)
{
	if (class_index >= snapshot->class_count)
		return 0;
	return is_by_size ? snapshot->classes[class_index].bytes : snapshot->classes[class_index].objects;
}

/* The size of a shape over the snapshots that are compared. */
typedef struct shape_trend {
	uint32_t count; /* Snapshots so far. */
	uint32_t changes;
	uint32_t increases;     /* Those to more than ever before: a size that goes up and down does not grow. */
	uint32_t last_increase; /* Index of the snapshot of the latest one. */
	uint64_t first;
	uint64_t maximum;
	uint64_t last;
	int has_dropped; /* It became smaller by more than noise. */
	int has_shrunk;  /* It became smaller. */
} shape_trend;

/* A percentage of an amount, rounded down, without overflow. */
static uint64_t percent_of(uint64_t amount, uint32_t percent)
{
	return amount / 100 * percent + amount % 100 * percent / 100;
}

static void trend_add(shape_trend *trend, uint64_t size)
{
	uint32_t index = trend->count++;

	if (index == 0) {
		trend->first = trend->maximum = trend->last = size;
		return;
	}
	trend->changes += size != trend->last;
	trend->has_shrunk |= size < trend->last;
	trend->has_dropped |= size < trend->maximum - percent_of(trend->maximum, NOISE_PERCENT);
	if (size > trend->maximum) {
		trend->maximum = size;
		trend->increases++;
		trend->last_increase = index;
	}
	trend->last = size;
}

/*
 * Neighbouring snapshots of the same size count as one, so every change but a small decrease is an increase. What a
 * program fills once, such as a cache, does not grow in the second half of the snapshots.
 */
static int trend_is_growth(const shape_trend *trend)
{
	if (trend->count < MIN_SNAPSHOTS || trend->has_dropped)
		return 0;
	if (trend->increases + 1 == trend->count)
		return 1;
	if (trend->has_shrunk && trend->last - trend->first <= percent_of(trend->first, CLEAR_PERCENT))
		return 0;
	return trend->increases >= MIN_INCREASES && trend->increases >= trend->changes - trend->increases &&
	       trend->last_increase > trend->count / 2;
}

/* Whether the last snapshot of a program that ends is no evidence against the growth before. */
static int trend_may_end(const shape_trend *trend, uint64_t size)
{
	return size <= trend->maximum && size >= trend->last - percent_of(trend->last, 100 - MIN_KEPT_PERCENT) &&
	       trend->increases + 1 >= MIN_GROWN && trend_is_growth(trend);
}

/*
 * Returns in how many snapshots a shape has more objects, or if \p is_by_size larger ones, than in all before. 0 if
 * that is not growth, or the search has to stop.
 */
static uint32_t count_grown(const growth_search *search, size_t shape, int is_by_size)
{
	const diff_snapshot *exit = find_end(search->diff);
	shape_trend trend = {0};

	for (size_t i = 0; i < search->diff->count; i++) {
		const diff_snapshot *snapshot = &search->diff->snapshots[i];
		shape_sum sum = sum_of(snapshot, shape);
		uint64_t size = is_by_size ? sum.bytes : sum.objects;

		if (!progress_step(search->going))
			return 0;
		if (!is_usable(search->diff, snapshot) || (snapshot == exit && trend_may_end(&trend, size)))
			continue;
		trend_add(&trend, size);
		if (trend.has_dropped)
			return 0;
	}
	return trend_is_growth(&trend) ? trend.increases : 0;
}

/*
 * Whether to list a shape. If its class as a whole has not grown, objects only moved from another shape to this one.
 */
static int has_grown(const growth_search *search, size_t shape, int is_by_size)
{
	uint32_t class_index = search->diff->shapes.shapes[shape].class_index;

	return count_grown(search, shape, is_by_size) > 0 &&
	       sum_of(search->last, shape).held_bytes > sum_of(search->first, shape).held_bytes &&
	       sum_of_class(search->last, class_index, is_by_size) >
		       sum_of_class(search->first, class_index, is_by_size);
}

static int add_growth(growth_search *search, size_t shape, int is_by_size)
{
	void *found = search->found;
	mprof_heap_growth *growth;
	int is_reserved =
		array_reserve(search->allocator, &found, &search->capacity, search->count + 1, sizeof(*search->found));

	search->found = found;
	if (!is_reserved)
		return 0;
	growth = &search->found[search->count++];
	growth->shape = (uint32_t)shape;
	growth->snapshots = search->compared_count;
	growth->is_by_size = (uint32_t)is_by_size;
	growth->grown_snapshots = count_grown(search, shape, is_by_size) + 1;
	growth->objects_first = sum_of(search->first, shape).objects;
	growth->objects_last = sum_of(search->last, shape).objects;
	growth->bytes_first = sum_of(search->first, shape).held_bytes;
	growth->bytes_last = sum_of(search->last, shape).held_bytes;
	search->marks[shape] |= SHAPE_GREW;
	return 1;
}

/* Steps of each of the two calls of list_growth(). */
static uint64_t growth_steps(const mprof_heap_diff *diff)
{
	return diff->shapes.count * ((uint64_t)diff->count + 1);
}

/* Lists what grew, from the roots on, except what a listed shape holds. */
static int list_growth(growth_search *search, int is_by_size)
{
	const path_shape *shapes = search->diff->shapes.shapes;

	if (!progress_begin(search->going, growth_steps(search->diff)))
		return 0;
	for (size_t i = 0; i < search->diff->shapes.count; i++) {
		if (!progress_step(search->going))
			return 0;
		if (shapes[i].parent != SHAPE_NONE &&
		    (search->marks[shapes[i].parent] & (SHAPE_GREW | SHAPE_COVERED)) != 0)
			search->marks[i] |= SHAPE_COVERED;
		if (search->marks[i] == 0 && has_grown(search, i, is_by_size) && !add_growth(search, i, is_by_size))
			return 0;
	}
	return 1;
}

static void mark_covering(growth_search *search)
{
	for (size_t i = search->diff->shapes.count; i > 0; i--) {
		uint32_t parent = search->diff->shapes.shapes[i - 1].parent;

		if (parent != SHAPE_NONE && (search->marks[i - 1] & (SHAPE_GREW | SHAPE_COVERS)) != 0)
			search->marks[parent] |= SHAPE_COVERS;
	}
}

static int compare_growth(const void *first, const void *second)
{
	const mprof_heap_growth *a = first;
	const mprof_heap_growth *b = second;
	uint64_t more_a = a->bytes_last - a->bytes_first;
	uint64_t more_b = b->bytes_last - b->bytes_first;

	if (more_a != more_b)
		return more_a > more_b ? -1 : 1;
	return (a->shape > b->shape) - (a->shape < b->shape);
}

static int find_growth(growth_search *search)
{
	size_t count = search->diff->shapes.count;

	search->marks = allocator_allocate_zeroed(search->allocator, count + 1);
	if (search->marks == NULL || !list_growth(search, 0))
		return 0;
	mark_covering(search);
	if (!list_growth(search, 1))
		return 0;
	sort_in_place(search->found, search->count, sizeof(*search->found), compare_growth);
	return progress_end(search->going);
}

mprof_status mprof_heap_diff_get_growth(mprof_heap_diff *diff, mprof_heap_growth *growths, size_t growth_size,
					size_t capacity, size_t *count)
{
	progress going;
	growth_search search = {.diff = diff, .going = &going};
	mprof_status status = MPROF_OK;

	if (count == NULL)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (diff == NULL || (growths == NULL && capacity > 0) ||
	    growth_size < SIZE_UP_TO(mprof_heap_growth, bytes_last))
		return MPROF_ERR_ARGUMENT;
	search.allocator = &diff->budget.allocator;
	choose_snapshots(&search);
	if (search.compared_count < MIN_SNAPSHOTS)
		return MPROF_ERR_UNSUPPORTED;
	progress_init(&going, diff->progress, diff->progress_user, 2 * growth_steps(diff));
	if (find_growth(&search)) {
		*count = search.count;
		for (size_t i = 0; i < search.count && i < capacity; i++)
			element_put(growths, growth_size, i, &search.found[i], sizeof(search.found[i]));
	} else {
		status = progress_status(&going, memory_budget_status(&diff->budget));
	}
	allocator_release(search.allocator, search.marks, diff->shapes.count + 1);
	allocator_release(search.allocator, search.found, search.capacity * sizeof(*search.found));
	return status;
}
