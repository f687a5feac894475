/* SPDX-License-Identifier: MIT */
/* Chooses between instances and arrays, and the fields of instances. */
#include "export/hprof_layouts.h"

#include "common/elements.h"
#include "export/heap_source.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 256U

/* More fields without meaning make a class that is hard to read. */
#define MAX_PADDING 1024U

/* Readers add a header of two IDs to an instance; that of an array has its length in addition. */
static uint64_t instance_header(const hprof_layouts *layouts)
{
	return 2 * (uint64_t)layouts->id_size;
}

static uint64_t array_header(const hprof_layouts *layouts)
{
	return 3 * (uint64_t)layouts->id_size;
}

/* The order of a field and a reference. */
static int compare_field(const hprof_layout *layout, size_t index, const mprof_heap_reference *reference)
{
	const hprof_field *field = &layout->fields[index];

	if (layout->kind == HPROF_BY_NAME)
		return strcmp(field->name, reference->name);
	return field->offset < reference->offset ? -1 : field->offset > reference->offset;
}

/* The index of the field of a reference, or where it belongs. \p guess is tried first. */
static size_t find_field(const hprof_layout *layout, const mprof_heap_reference *reference, size_t guess)
{
	size_t low = 0;
	size_t high = layout->used;

	if (guess < high && compare_field(layout, guess, reference) == 0)
		return guess;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_field(layout, middle, reference) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Forgets the fields of a class whose references have no distinct offsets or names. */
static void drop_fields(hprof_layout *layout)
{
	free(layout->fields);
	layout->fields = NULL;
	layout->used = layout->capacity = 0;
	layout->kind = HPROF_BY_ORDER;
}

/* Adds the field of a reference. Returns 0 if out of memory. */
static int add_field(hprof_layout *layout, uint32_t object, const mprof_heap_reference *reference, size_t guess)
{
	size_t index = find_field(layout, reference, guess);
	hprof_field *fields = layout->fields;
	void *grown = fields;

	if (index < layout->used && compare_field(layout, index, reference) == 0) {
		if (fields[index].object == object)
			drop_fields(layout);
		else
			fields[index].object = object;
		return 1;
	}
	if (layout->used == HPROF_MAX_FIELDS) {
		drop_fields(layout);
		return 1;
	}
	if (!elements_reserve(&grown, &layout->capacity, layout->used, sizeof(*fields)))
		return 0;
	layout->fields = fields = grown;
	memmove(fields + index + 1, fields + index, (layout->used - index) * sizeof(*fields));
	fields[index] = (hprof_field){.offset = reference->offset,
				      .name = layout->kind == HPROF_BY_NAME ? reference->name : NULL,
				      .object = object};
	layout->used++;
	return 1;
}

/* Whether a reference has what distinguishes the fields. The first one of the class decides what that is. */
static int fits_kind(hprof_layout *layout, const mprof_heap_reference *reference)
{
	if (!layout->has_kind)
		layout->kind = reference->has_offset ? HPROF_BY_OFFSET : HPROF_BY_NAME;
	layout->has_kind = 1;
	return layout->kind == HPROF_BY_OFFSET ? reference->has_offset != 0 : reference->name[0] != '\0';
}

/* Adds the fields of an object. Returns 0 if out of memory. */
static int add_fields(hprof_layout *layout, const heap_view *view, uint32_t object)
{
	mprof_heap_reference references[BATCH];
	uint32_t first = 0;
	size_t count;

	do {
		count = heap_source_references(view, object, first, references, BATCH);
		for (size_t i = 0; i < count && (!layout->has_kind || layout->kind != HPROF_BY_ORDER); i++) {
			if (!fits_kind(layout, &references[i]))
				drop_fields(layout);
			else if (!add_field(layout, object, &references[i], first + i))
				return 0;
		}
		first += (uint32_t)count;
	} while (count == BATCH && layout->kind != HPROF_BY_ORDER);
	return 1;
}

static int add_objects(hprof_layouts *layouts, const heap_view *view)
{
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(view, i);
		hprof_layout *layout = &layouts->classes[object.class_index];

		if (hprof_leaves_out(&object))
			continue;
		layout->min_bytes = object.bytes < layout->min_bytes ? object.bytes : layout->min_bytes;
		layout->max_bytes = object.bytes > layout->max_bytes ? object.bytes : layout->max_bytes;
		if (object.references > layout->max_references)
			layout->max_references = object.references;
		if ((!layout->has_kind || layout->kind != HPROF_BY_ORDER) && !layout->is_named_array &&
		    object.references > 0 && !add_fields(layout, view, i))
			return 0;
	}
	return 1;
}

/* Whether each object has some of the names only, so that fields for all of them make objects larger than they are. */
static int has_too_many_names(const hprof_layouts *layouts, const hprof_layout *layout)
{
	return layout->kind == HPROF_BY_NAME && layout->used > layout->max_references &&
	       instance_header(layouts) + layout->used * layouts->id_size > layout->min_bytes;
}

/* Decides between instances and arrays, when all objects of the class are known. */
static void choose_form(hprof_layouts *layouts, hprof_layout *layout)
{
	uint64_t header = instance_header(layouts);
	uint32_t fields;
	uint64_t used;
	uint64_t padding;

	if (has_too_many_names(layouts, layout))
		drop_fields(layout);
	fields = layout->kind != HPROF_BY_ORDER ? (uint32_t)layout->used : layout->max_references;
	used = header + (uint64_t)fields * layouts->id_size;
	padding = layout->max_bytes > used ? layout->max_bytes - used : 0;

	layout->is_array = layout->is_named_array || layout->min_bytes != layout->max_bytes ||
			   fields > HPROF_MAX_FIELDS || padding > MAX_PADDING;
	if (layout->is_array) {
		drop_fields(layout);
		return;
	}
	layout->field_count = fields;
	layout->padding = (uint32_t)padding;
}

uint32_t hprof_layout_elements(const hprof_layouts *layouts, const mprof_heap_object *object)
{
	uint64_t limit = HPROF_MAX_BYTES / layouts->id_size;
	uint64_t header = array_header(layouts);
	uint64_t content = object->bytes > header ? object->bytes - header : 0;
	uint64_t elements = content / layouts->id_size + (content % layouts->id_size != 0);

	elements = object->references > elements ? object->references : elements;
	return (uint32_t)(elements < limit ? elements : limit);
}

static void count_sizes(hprof_layouts *layouts, const heap_view *view)
{
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(view, i);
		const hprof_layout *layout = &layouts->classes[object.class_index];
		uint64_t bytes =
			instance_header(layouts) + (uint64_t)layout->field_count * layouts->id_size + layout->padding;

		if (hprof_leaves_out(&object))
			continue;
		if (layout->is_array)
			bytes = array_header(layouts) +
				(uint64_t)hprof_layout_elements(layouts, &object) * layouts->id_size;
		/* A size that is not a multiple of that of an ID is rounded up. */
		layouts->too_large += bytes > object.bytes && bytes - object.bytes >= layouts->id_size;
		layouts->too_small += bytes < object.bytes;
		layouts->bytes += bytes;
	}
}

static int is_array_name(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && name[length - 1] == ']';
}

int hprof_layouts_build(hprof_layouts *layouts, const heap_view *view, uint32_t id_size)
{
	size_t count = (size_t)view->totals.classes;

	layouts->id_size = id_size;
	layouts->classes = calloc(count > 0 ? count : 1, sizeof(*layouts->classes));
	if (layouts->classes == NULL)
		return 0;
	layouts->count = count;
	for (size_t i = 0; i < count; i++) {
		hprof_layout *layout = &layouts->classes[i];
		class_name name;

		layout->class_id = heap_view_class(view, i).class_id;
		layout->is_named_array = is_array_name(label_class(view, i, &name));
		layout->min_bytes = UINT64_MAX;
	}
	if (!add_objects(layouts, view))
		return 0;
	for (size_t i = 0; i < count; i++)
		choose_form(layouts, &layouts->classes[i]);
	count_sizes(layouts, view);
	return 1;
}

void hprof_layouts_release(hprof_layouts *layouts)
{
	for (size_t i = 0; i < layouts->count; i++)
		free(layouts->classes[i].fields);
	free(layouts->classes);
	memset(layouts, 0, sizeof(*layouts));
}

uint32_t hprof_layout_field(const hprof_layout *layout, const mprof_heap_reference *reference, uint32_t number)
{
	return layout->kind != HPROF_BY_ORDER ? (uint32_t)find_field(layout, reference, number) : number;
}
