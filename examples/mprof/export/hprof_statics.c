/* SPDX-License-Identifier: MIT */
/* Collects the roots that are static fields of a class. */
#include "export/hprof_statics.h"

#include "common/elements.h"
#include "export/heap_source.h"

#include <stdlib.h>
#include <string.h>

/* Readers take the number of static fields as one with 15 bits. */
#define MAX_STATICS 32767U

/* The class of a root, 0 if it is not a static field of a known class. */
static uint32_t class_of(const heap_view *view, const mprof_heap_root *root)
{
	mprof_record record;

	if (root->kind != MPROF_ROOT_STATIC || root->area == 0 ||
	    mprof_reader_lookup_record(view->input.reader, MPROF_RECORD_ROOT, root->area, &record, sizeof(record)) !=
		    MPROF_OK)
		return 0;
	return record.as.root.class_id;
}

int hprof_statics_have(const heap_view *view, const mprof_heap_root *root)
{
	return class_of(view, root) != 0;
}

static int compare_classes(const void *left, const void *right)
{
	const hprof_static *a = left;
	const hprof_static *b = right;

	if (a->class_id != b->class_id)
		return a->class_id < b->class_id ? -1 : 1;
	if (a->area != b->area)
		return a->area < b->area ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static int compare_slots(const void *left, const void *right)
{
	const hprof_static *a = left;
	const hprof_static *b = right;

	return a->slot != b->slot ? (a->slot < b->slot ? -1 : 1) : compare_classes(left, right);
}

/* The index of a class among those with objects, which are in the order of their IDs; else their number. */
static uint32_t find_class(const heap_view *view, uint32_t class_id)
{
	size_t count = (size_t)view->totals.classes;
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (heap_view_class(view, middle).class_id < class_id)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)(low < count && heap_view_class(view, low).class_id == class_id ? low : count);
}

/* Assigns slots, a further one to a class that has too many fields. Returns 0 if out of memory. */
static int assign_slots(hprof_statics *statics, const heap_view *view)
{
	uint32_t classes = (uint32_t)view->totals.classes;
	size_t capacity = 0;
	uint32_t used = 0;

	for (size_t i = 0; i < statics->count; i++) {
		hprof_static *field = &statics->fields[i];
		int is_same = i > 0 && field[-1].class_id == field->class_id;
		void *ids = statics->class_ids;

		field->slot = is_same ? field[-1].slot : find_class(view, field->class_id);
		used = is_same ? used + 1 : 1;
		if (used <= MAX_STATICS && (is_same || field->slot != classes))
			continue;
		if (!elements_reserve(&ids, &capacity, statics->class_count, sizeof(*statics->class_ids)))
			return 0;
		statics->class_ids = ids;
		field->slot = classes + (uint32_t)statics->class_count;
		statics->class_ids[statics->class_count++] = field->class_id;
		used = 1;
	}
	return 1;
}

int hprof_statics_build(hprof_statics *statics, const heap_view *view)
{
	size_t capacity = 0;

	for (size_t i = 0; i < view->totals.roots; i++) {
		mprof_heap_root root = heap_source_root(view, i);
		uint32_t class_id = class_of(view, &root);
		void *fields = statics->fields;

		if (class_id == 0)
			continue;
		if (!elements_reserve(&fields, &capacity, statics->count, sizeof(*statics->fields)))
			return 0;
		statics->fields = fields;
		statics->fields[statics->count++] =
			(hprof_static){.class_id = class_id, .object = root.object, .area = root.area};
	}
	if (statics->count == 0)
		return 1;
	qsort(statics->fields, statics->count, sizeof(*statics->fields), compare_classes);
	if (!assign_slots(statics, view))
		return 0;
	qsort(statics->fields, statics->count, sizeof(*statics->fields), compare_slots);
	return 1;
}

void hprof_statics_release(hprof_statics *statics)
{
	free(statics->fields);
	free(statics->class_ids);
	memset(statics, 0, sizeof(*statics));
}

uint32_t hprof_statics_run(const hprof_statics *statics, size_t first)
{
	uint32_t count = 0;

	while (first + count < statics->count && statics->fields[first + count].slot == statics->fields[first].slot)
		count++;
	return count;
}

size_t hprof_statics_find(const hprof_statics *statics, uint32_t slot)
{
	size_t low = 0;
	size_t high = statics->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (statics->fields[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < statics->count && statics->fields[low].slot == slot ? low : statics->count;
}
