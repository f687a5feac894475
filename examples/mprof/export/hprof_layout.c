/* SPDX-License-Identifier: MIT */
/* Chooses how the objects of each class are written to an HPROF file. */
#include "export/hprof_layout.h"

#include "common/elements.h"
#include "export/heap_source.h"
#include "heap/labels.h"

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

/* The index of the field at an offset, or where it belongs. \p guess is tried first. */
static size_t find_field(const hprof_layout *layout, uint64_t offset, size_t guess)
{
	size_t low = 0;
	size_t high = layout->offset_count;

	if (guess < high && layout->fields[guess].offset == offset)
		return guess;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (layout->fields[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Forgets the offsets of a class whose references have no distinct ones. */
static void drop_offsets(hprof_layout *layout)
{
	free(layout->fields);
	layout->fields = NULL;
	layout->offset_count = layout->offset_capacity = 0;
	layout->has_offsets = 0;
}

/* Adds the field of a reference. Returns 0 if out of memory. */
static int add_field(hprof_layout *layout, uint32_t object, const mprof_heap_reference *reference, size_t guess)
{
	size_t index = find_field(layout, reference->offset, guess);
	hprof_field *fields = layout->fields;
	void *grown = fields;

	if (index < layout->offset_count && fields[index].offset == reference->offset) {
		if (fields[index].object == object)
			drop_offsets(layout);
		else
			fields[index].object = object;
		return 1;
	}
	if (layout->offset_count == HPROF_MAX_FIELDS) {
		drop_offsets(layout);
		return 1;
	}
	if (!elements_reserve(&grown, &layout->offset_capacity, layout->offset_count, sizeof(*fields)))
		return 0;
	layout->fields = fields = grown;
	memmove(fields + index + 1, fields + index, (layout->offset_count - index) * sizeof(*fields));
	fields[index] = (hprof_field){.offset = reference->offset, .object = object};
	layout->offset_count++;
	return 1;
}

/* Adds the fields of an object. Returns 0 if out of memory. */
static int add_fields(hprof_layout *layout, const heap_view *view, uint32_t object)
{
	mprof_heap_reference references[BATCH];
	uint32_t first = 0;
	size_t count;

	do {
		count = heap_source_references(view, object, first, references, BATCH);
		for (size_t i = 0; i < count && layout->has_offsets; i++) {
			if (!references[i].has_offset)
				drop_offsets(layout);
			else if (!add_field(layout, object, &references[i], first + i))
				return 0;
		}
		first += (uint32_t)count;
	} while (count == BATCH && layout->has_offsets);
	return 1;
}

static int add_objects(hprof_layouts *layouts, const heap_view *view)
{
	for (uint32_t i = 0; i < view->totals.objects; i++) {
		const mprof_heap_object object = heap_view_object(view, i);
		hprof_layout *layout = &layouts->classes[object.class_index];

		layout->min_bytes = object.bytes < layout->min_bytes ? object.bytes : layout->min_bytes;
		layout->max_bytes = object.bytes > layout->max_bytes ? object.bytes : layout->max_bytes;
		if (object.references > layout->max_references)
			layout->max_references = object.references;
		if (layout->has_offsets && !layout->is_named_array && object.references > 0 &&
		    !add_fields(layout, view, i))
			return 0;
	}
	return 1;
}

/* Decides between instances and arrays, when all objects of the class are known. */
static void choose_form(hprof_layouts *layouts, hprof_layout *layout)
{
	uint64_t header = instance_header(layouts);
	uint32_t fields = layout->has_offsets ? (uint32_t)layout->offset_count : layout->max_references;
	uint64_t used = header + (uint64_t)fields * layouts->id_size;
	uint64_t padding = layout->max_bytes > used ? layout->max_bytes - used : 0;

	layout->is_array = layout->is_named_array || layout->min_bytes != layout->max_bytes ||
			   fields > HPROF_MAX_FIELDS || padding > MAX_PADDING;
	if (layout->is_array) {
		drop_offsets(layout);
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
		layout->has_offsets = 1;
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
	return layout->has_offsets ? (uint32_t)find_field(layout, reference->offset, number) : number;
}
