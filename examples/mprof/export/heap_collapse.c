/* SPDX-License-Identifier: MIT */
/* Chooses the objects that retain the most, and collapses the others. */
#include "export/heap_collapse.h"

#include "common/elements.h"
#include "shared/key_map.h"

#include <stdlib.h>
#include <string.h>

/* Sizes are counted in buckets that are exact below 2^10 and have 10 significant bits above. */
#define BUCKET_BITS 10
#define BUCKET_STEPS (UINT64_C(1) << BUCKET_BITS)
#define BUCKETS ((64 - BUCKET_BITS + 1) << BUCKET_BITS)

static size_t bucket_of(uint64_t bytes)
{
	unsigned int exponent = 0;

	while (bytes >> exponent >= 2 * BUCKET_STEPS)
		exponent++;
	return bytes < BUCKET_STEPS ? (size_t)bytes
				    : (size_t)(((uint64_t)exponent << BUCKET_BITS) + (bytes >> exponent));
}

/* The least size of a bucket. */
static uint64_t bucket_bytes(size_t bucket)
{
	size_t exponent = bucket < 2 * BUCKET_STEPS ? 0 : (bucket >> BUCKET_BITS) - 1;

	return (uint64_t)(bucket - (exponent << BUCKET_BITS)) << exponent;
}

/* The least threshold that keeps at most \p top objects. Returns 0 if out of memory. */
static int choose_threshold(heap_collapse *collapse, const heap_view *view, uint64_t top)
{
	uint64_t *counts = calloc(BUCKETS, sizeof(*counts));
	uint64_t kept = 0;
	size_t bucket = BUCKETS;

	if (counts == NULL)
		return 0;
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(view, i);

		if (object.is_reachable)
			counts[bucket_of(object.retained_bytes)]++;
	}
	while (bucket > 0 && kept + counts[bucket - 1] <= top)
		kept += counts[--bucket];
	free(counts);
	collapse->threshold = bucket < BUCKETS ? bucket_bytes(bucket) : UINT64_MAX;
	collapse->kept_count = (uint32_t)kept;
	return 1;
}

static int keep_objects(heap_collapse *collapse, const heap_view *view)
{
	uint32_t count = 0;

	collapse->kept = calloc((size_t)collapse->kept_count + 1, sizeof(*collapse->kept));
	collapse->owners = calloc((size_t)view->totals.objects + 1, sizeof(*collapse->owners));
	if (collapse->kept == NULL || collapse->owners == NULL)
		return 0;
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(view, i);

		if (!object.is_reachable || object.retained_bytes < collapse->threshold ||
		    count == collapse->kept_count)
			continue;
		collapse->owners[i] = count;
		collapse->kept[count++] = i;
	}
	collapse->kept_count = count;
	return 1;
}

uint32_t heap_collapse_find(const heap_collapse *collapse, uint32_t object)
{
	uint32_t number = collapse->owners[object];

	return number < collapse->kept_count && collapse->kept[number] == object ? number : UINT32_MAX;
}

/* The owner of a collapsed object. \p known: by object, whether its owner has been found. */
static uint32_t find_owner(const heap_collapse *collapse, const heap_view *view, const unsigned char *known,
			   uint32_t object)
{
	for (;;) {
		const mprof_heap_object found = heap_view_object(view, object);

		if (!found.is_reachable)
			return COLLAPSE_UNREACHABLE;
		if (found.dominator == MPROF_HEAP_NO_OBJECT)
			return COLLAPSE_ROOTS;
		object = found.dominator;
		if (known[object])
			return collapse->owners[object];
	}
}

/* Finds the owners of all collapsed objects, each object once. Returns 0 if out of memory. */
static int find_owners(heap_collapse *collapse, const heap_view *view)
{
	unsigned char *known = calloc((size_t)view->totals.objects + 1, 1);

	if (known == NULL)
		return 0;
	for (uint32_t i = 0; i < collapse->kept_count; i++)
		known[collapse->kept[i]] = 1;
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		uint32_t owner;

		if (known[i])
			continue;
		owner = find_owner(collapse, view, known, i);
		for (uint32_t object = i; object != MPROF_HEAP_NO_OBJECT && !known[object];) {
			known[object] = 1;
			collapse->owners[object] = owner;
			object = heap_view_object(view, object).dominator;
		}
	}
	free(known);
	return 1;
}

typedef struct group_entry {
	uint64_t key;
	size_t index;
} group_entry;

static int compare_groups(const void *left, const void *right)
{
	const collapse_group *a = left;
	const collapse_group *b = right;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return a->class_index < b->class_index ? -1 : a->class_index > b->class_index;
}

/* Begins a group. Returns 0 if out of memory. */
static int begin_group(heap_collapse *collapse, size_t *capacity, uint32_t owner, uint32_t class_index)
{
	void *groups = collapse->groups;

	if (!elements_reserve(&groups, capacity, collapse->group_count, sizeof(collapse_group)))
		return 0;
	collapse->groups = groups;
	collapse->groups[collapse->group_count++] = (collapse_group){.owner = owner, .class_index = class_index};
	return 1;
}

/* Adds an object to its group, or to one more if that would exceed 32 bits. Returns 0 if out of memory. */
static int add_object(heap_collapse *collapse, key_map *indexes, size_t *capacity, uint32_t owner,
		      const mprof_heap_object *object)
{
	size_t known = indexes->count;
	group_entry *entry = key_map_put(indexes, (uint64_t)owner << 32 | object->class_index);
	collapse_group *group;

	if (entry == NULL)
		return 0;
	if (indexes->count > known || (collapse->groups[entry->index].objects > 0 &&
				       object->bytes > UINT32_MAX - collapse->groups[entry->index].bytes)) {
		entry->index = collapse->group_count;
		if (!begin_group(collapse, capacity, owner, object->class_index))
			return 0;
	}
	group = &collapse->groups[entry->index];
	group->objects++;
	/* Only an object alone in its group exceeds it. */
	group->bytes += object->bytes;
	return 1;
}

static int make_groups(heap_collapse *collapse, const heap_view *view)
{
	key_map indexes = {.value_size = sizeof(group_entry) - sizeof(uint64_t)};
	size_t capacity = 0;
	int is_complete = 1;

	for (uint32_t i = 0; i < view->totals.objects && is_complete; i++) {
		const mprof_heap_object object = heap_view_object(view, i);

		if (heap_collapse_find(collapse, i) == UINT32_MAX)
			is_complete = add_object(collapse, &indexes, &capacity, collapse->owners[i], &object);
	}
	key_map_clear(&indexes);
	if (collapse->group_count > 0)
		qsort(collapse->groups, collapse->group_count, sizeof(*collapse->groups), compare_groups);
	return is_complete;
}

int heap_collapse_build(heap_collapse *collapse, const heap_view *view, uint64_t top)
{
	memset(collapse, 0, sizeof(*collapse));
	return choose_threshold(collapse, view, top) && keep_objects(collapse, view) && find_owners(collapse, view) &&
	       make_groups(collapse, view);
}

void heap_collapse_release(heap_collapse *collapse)
{
	free(collapse->kept);
	free(collapse->owners);
	free(collapse->groups);
	memset(collapse, 0, sizeof(*collapse));
}

size_t heap_collapse_first_group(const heap_collapse *collapse, uint32_t owner)
{
	size_t low = 0;
	size_t high = collapse->group_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (collapse->groups[middle].owner < owner)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
