/* SPDX-License-Identifier: MIT */
/* Keeps the longest spans. */
#include "model/records/span_list.h"

#include "base/checked.h"
#include "base/sort.h"

#include <string.h>

void span_list_init(span_list *list, memory_budget *budget, size_t limit)
{
	memset(list, 0, sizeof(*list));
	list->budget = budget;
	list->is_enabled = limit > 0;
	list->limit = limit;
}

void span_list_destroy(span_list *list)
{
	const mprof_allocator *allocator = &list->budget->allocator;

	allocator_release(allocator, list->spans, list->capacity * sizeof(*list->spans));
	allocator_release(allocator, list->shown, list->shown_capacity * sizeof(*list->shown));
}

static int compare_numbers(uint64_t first, uint64_t second)
{
	return (first > second) - (first < second);
}

/* Of spans with the same duration, the first one is kept, whichever was read first. */
static int compare_lengths(const void *first, const void *second)
{
	const listed_span *one = first;
	const listed_span *other = second;
	const int order = compare_numbers(other->end - other->start, one->end - one->start);

	return order != 0 ? order : compare_numbers(one->start, other->start);
}

/* What contains others comes before these. */
static int compare_starts(const void *first, const void *second)
{
	const listed_span *one = first;
	const listed_span *other = second;
	int order = compare_numbers(one->start, other->start);

	if (order == 0)
		order = compare_numbers(other->end, one->end);
	if (order == 0)
		order = compare_numbers(one->thread, other->thread);
	return order != 0 ? order : compare_numbers(one->record, other->record);
}

/* Room for one span more. Returns 0 without room; *has_failed is set if the allocator refused it. */
static int reserve(const span_list *list, listed_span **spans, size_t *capacity, size_t count, int *has_failed)
{
	void *elements = *spans;
	const int is_reserved = array_reserve(&list->budget->paths, &elements, capacity, count + 1, sizeof(**spans));

	*spans = elements;
	if (!is_reserved)
		*has_failed = !memory_budget_is_exceeded(list->budget);
	return is_reserved;
}

static void make_heap(span_list *list)
{
	for (size_t i = list->count / 2; i > 0; i--)
		sort_sift_down((char *)list->spans, i - 1, list->count, sizeof(*list->spans), compare_lengths);
}

int span_list_add(span_list *list, const listed_span *span)
{
	int has_failed = 0;

	if (!list->is_enabled)
		return 1;
	if (list->count < list->limit) {
		if (reserve(list, &list->spans, &list->capacity, list->count, &has_failed)) {
			list->spans[list->count++] = *span;
			if (list->count == list->limit)
				make_heap(list);
			return 1;
		}
		if (has_failed)
			return 0;
		/* The budget is used up: there are no more than now. */
		list->limit = list->count;
		make_heap(list);
	}
	list->left_out++;
	if (list->count == 0 || compare_lengths(span, &list->spans[0]) >= 0)
		return 1;
	list->spans[0] = *span;
	sort_sift_down((char *)list->spans, 0, list->count, sizeof(*list->spans), compare_lengths);
	return 1;
}

int span_list_begin_show(span_list *list)
{
	void *shown = list->shown;
	int is_reserved;

	list->shown_count = 0;
	if (list->count == 0)
		return 1;
	is_reserved = array_reserve(&list->budget->allocator, &shown, &list->shown_capacity, list->count,
				    sizeof(*list->shown));
	list->shown = shown;
	if (!is_reserved)
		return 0;
	memcpy(list->shown, list->spans, list->count * sizeof(*list->shown));
	list->shown_count = list->count;
	return 1;
}

int span_list_show_open(span_list *list, const listed_span *span)
{
	void *shown = list->shown;
	const int is_reserved = array_reserve(&list->budget->allocator, &shown, &list->shown_capacity,
					      list->shown_count + 1, sizeof(*list->shown));

	list->shown = shown;
	if (is_reserved)
		list->shown[list->shown_count++] = *span;
	return is_reserved;
}

void span_list_end_show(span_list *list)
{
	sort_in_place(list->shown, list->shown_count, sizeof(*list->shown), compare_starts);
}
