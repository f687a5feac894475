/* SPDX-License-Identifier: MIT */
/* Sorts allocations of all threads by counter, by merging the sorted runs that the threads deliver. */
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
	timeline->entries = NULL;
	timeline->scratch = NULL;
	timeline->first = 0;
	timeline->count = 0;
	timeline->capacity = 0;
	timeline->is_sorted = 1;
}

static void drop_taken(heap_timeline *timeline)
{
	timeline->count -= timeline->first;
	memmove(timeline->entries, timeline->entries + timeline->first, timeline->count * sizeof(*timeline->entries));
	timeline->first = 0;
}

static int grow_timeline(heap_timeline *timeline)
{
	size_t capacity = timeline->capacity == 0 ? FIRST_CAPACITY : timeline->capacity * 2;
	timeline_entry *entries;
	size_t size;

	if (capacity > HEAP_TIMELINE_MAX || !checked_multiply(capacity * 2, sizeof(*entries), &size))
		return 0;
	entries = allocator_allocate(&timeline->allocator, size);
	if (entries == NULL)
		return 0;
	if (timeline->count > 0)
		memcpy(entries, timeline->entries, timeline->count * sizeof(*entries));
	allocator_release(&timeline->allocator, timeline->memory, timeline->capacity * 2 * sizeof(*entries));
	timeline->memory = entries;
	timeline->entries = entries;
	timeline->scratch = entries + capacity;
	timeline->capacity = capacity;
	return 1;
}

int heap_timeline_add(heap_timeline *timeline, const timeline_entry *entry)
{
	if (timeline->count == timeline->capacity) {
		if (timeline->first > timeline->capacity / 2)
			drop_taken(timeline);
		else if (!grow_timeline(timeline))
			return 0;
	}
	if (timeline->count > timeline->first &&
	    (int64_t)(entry->counter - timeline->entries[timeline->count - 1].counter) < 0)
		timeline->is_sorted = 0;
	timeline->entries[timeline->count++] = *entry;
	return 1;
}

/* The end of the ordered run that begins at \p first. */
static size_t ordered_run_end(const timeline_entry *entries, size_t first, size_t count)
{
	size_t end = first + 1;

	while (end < count && (int64_t)(entries[end].counter - entries[end - 1].counter) >= 0)
		end++;
	return end < count ? end : count;
}

/* Merges two adjacent runs. The merge is stable: of equal entries, those of the first run come first. */
static void merge_runs(timeline_entry *out, const timeline_entry *first, const timeline_entry *middle,
		       const timeline_entry *end)
{
	const timeline_entry *second = middle;

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
		timeline_entry *merged = timeline->scratch;
		size_t begin = 0;
		size_t runs = 0;

		while (begin < timeline->count) {
			size_t middle = ordered_run_end(timeline->entries, begin, timeline->count);
			size_t end = middle < timeline->count
					     ? ordered_run_end(timeline->entries, middle, timeline->count)
					     : middle;

			merge_runs(merged + begin, timeline->entries + begin, timeline->entries + middle,
				   timeline->entries + end);
			begin = end;
			runs++;
		}
		timeline->scratch = timeline->entries;
		timeline->entries = merged;
		timeline->is_sorted = runs <= 1;
	}
}
