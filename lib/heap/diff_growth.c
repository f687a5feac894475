/* SPDX-License-Identifier: MIT */
/* Finds the path shapes that grew in all snapshots of a comparison. */
#include "heap/diff_internal.h"

#include "base/array.h"
#include "base/elements.h"
#include "base/sort.h"

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
