/* SPDX-License-Identifier: MIT */
#include "recorder/heap_timeline.h"

#include "base/checked.h"

#include <string.h>

#define FIRST_CAPACITY 1024

void heap_timeline_init(heap_timeline *timeline, const mprof_allocator *allocator)
{
	memset(timeline, 0, sizeof(*timeline));
	timeline->allocator = *allocator;
	timeline->is_sorted = 1;
}

void heap_timeline_destroy(heap_timeline *timeline)
{
	allocator_release(&timeline->allocator, timeline->memory, timeline->capacity * 2 * sizeof(*timeline->memory));
	timeline->memory = NULL;
	timeline->moments = NULL;
	timeline->scratch = NULL;
	timeline->first = 0;
	timeline->count = 0;
	timeline->capacity = 0;
	timeline->is_sorted = 1;
}

static void drop_taken(heap_timeline *timeline)
{
	timeline->count -= timeline->first;
	memmove(timeline->moments, timeline->moments + timeline->first, timeline->count * sizeof(*timeline->moments));
	timeline->first = 0;
}

static int grow(heap_timeline *timeline)
{
	size_t capacity = timeline->capacity == 0 ? FIRST_CAPACITY : timeline->capacity * 2;
	heap_moment *moments;
	size_t size;

	if (capacity > HEAP_TIMELINE_MAX || !checked_multiply(capacity * 2, sizeof(*moments), &size))
		return 0;
	moments = allocator_allocate(&timeline->allocator, size);
	if (moments == NULL)
		return 0;
	if (timeline->count > 0)
		memcpy(moments, timeline->moments, timeline->count * sizeof(*moments));
	allocator_release(&timeline->allocator, timeline->memory, timeline->capacity * 2 * sizeof(*moments));
	timeline->memory = moments;
	timeline->moments = moments;
	timeline->scratch = moments + capacity;
	timeline->capacity = capacity;
	return 1;
}

int heap_timeline_add(heap_timeline *timeline, const heap_moment *moment)
{
	if (timeline->count == timeline->capacity) {
		if (timeline->first > timeline->capacity / 2)
			drop_taken(timeline);
		else if (!grow(timeline))
			return 0;
	}
	if (timeline->count > timeline->first &&
	    (int64_t)(moment->counter - timeline->moments[timeline->count - 1].counter) < 0)
		timeline->is_sorted = 0;
	timeline->moments[timeline->count++] = *moment;
	return 1;
}

/* The end of the run in order that begins at \p first. */
static size_t run_end(const heap_moment *moments, size_t first, size_t count)
{
	size_t end = first + 1;

	while (end < count && (int64_t)(moments[end].counter - moments[end - 1].counter) >= 0)
		end++;
	return end < count ? end : count;
}

/* Merges two runs that follow each other; of equal ones those of the first come first. */
static void merge(heap_moment *out, const heap_moment *first, const heap_moment *middle, const heap_moment *end)
{
	const heap_moment *second = middle;

	while (first < middle && second < end)
		*out++ = (int64_t)(second->counter - first->counter) < 0 ? *second++ : *first++;
	memcpy(out, first, (size_t)(middle - first) * sizeof(*out));
	out += middle - first;
	memcpy(out, second, (size_t)(end - second) * sizeof(*out));
}

void heap_timeline_sort(heap_timeline *timeline)
{
	if (timeline->is_sorted)
		return;
	drop_taken(timeline);
	/* Each thread's buffer is a run. Merging neighbours halves the number of runs each time. */
	while (!timeline->is_sorted) {
		heap_moment *merged = timeline->scratch;
		size_t begin = 0;
		size_t runs = 0;

		while (begin < timeline->count) {
			size_t middle = run_end(timeline->moments, begin, timeline->count);
			size_t end =
				middle < timeline->count ? run_end(timeline->moments, middle, timeline->count) : middle;

			merge(merged + begin, timeline->moments + begin, timeline->moments + middle,
			      timeline->moments + end);
			begin = end;
			runs++;
		}
		timeline->scratch = timeline->moments;
		timeline->moments = merged;
		timeline->is_sorted = runs <= 1;
	}
}
