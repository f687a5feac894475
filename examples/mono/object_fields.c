/* SPDX-License-Identifier: MIT */
/* Finds the fields in which objects of a class have references: also in base classes and in structs. */
#include "object_fields.h"

#include "names.h"

#include <mono/metadata/attrdefs.h>
#include <mono/metadata/metadata.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of structs have offsets as if the struct were an object of its own, which begins with these two pointers. */
#define OBJECT_HEADER_SIZE ((uint32_t)(2 * sizeof(void *)))

/* An array has the bounds and the length in addition. */
#define ARRAY_HEADER_SIZE ((uint32_t)(4 * sizeof(void *)))

/* The fields found so far. */
typedef struct field_list {
	mprof_class_field *fields; /* The names are allocated. */
	size_t count;
	size_t room;
	uint32_t stride;     /* Of all fields. */
	mprof_key class_key; /* The class that declares the next ones, 0 for the class itself. */
	int has_failed;      /* There was no memory. */
} field_list;

/* Takes ownership of the name; NULL if there was no memory for it. */
static void add_field(field_list *list, char *name, uint32_t offset)
{
	if (list->count == list->room) {
		size_t room = list->room == 0 ? 16 : 2 * list->room;
		mprof_class_field *fields = realloc(list->fields, room * sizeof(*fields));

		list->has_failed |= fields == NULL;
		list->fields = fields != NULL ? fields : list->fields;
		list->room = fields != NULL ? room : list->room;
	}
	list->has_failed |= name == NULL;
	if (list->has_failed) {
		free(name);
		return;
	}
	list->fields[list->count++] = (mprof_class_field){name, list->class_key, offset, list->stride};
}

/* The name of a part of a struct, or of a field if \p prefix is "". */
static char *name_part(const char *prefix, const char *called)
{
	size_t size = strlen(prefix) + strlen(called) + 2;
	char *name = malloc(size);

	if (name != NULL)
		snprintf(name, size, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", called);
	return name;
}

/*
 * Adds the fields that a class declares. \p start: where the first field of an object is. A struct never contains
 * itself, so the recursion ends.
 */
static void add_fields(field_list *list, MonoClass *klass, const char *prefix, uint32_t start)
{
	MonoClassField *field;
	void *iterator = NULL;

	while (!list->has_failed && (field = mono_class_get_fields(klass, &iterator)) != NULL) {
		MonoType *type = mono_field_get_type(field);
		uint32_t offset = start + mono_field_get_offset(field) - OBJECT_HEADER_SIZE;
		char *name;

		if ((mono_field_get_flags(field) & MONO_FIELD_ATTR_STATIC) != 0 || mono_type_is_byref(type))
			continue;
		if (!mono_type_is_reference(type) && !mono_type_is_struct(type))
			continue;
		name = name_part(prefix, mono_field_get_name(field));
		if (mono_type_is_reference(type) || name == NULL) {
			add_field(list, name, offset);
			continue;
		}
		add_fields(list, mono_class_from_mono_type(type), name, offset);
		free(name);
	}
}

static void add_elements(field_list *list, MonoClass *klass)
{
	MonoClass *element = mono_class_get_element_class(klass);

	list->stride = (uint32_t)mono_array_element_size(klass);
	if (mono_class_is_valuetype(element))
		add_fields(list, element, "[]", ARRAY_HEADER_SIZE);
	else
		add_field(list, strdup("[]"), ARRAY_HEADER_SIZE);
}

static void add_objects_fields(MonoProfiler *profiler, field_list *list, MonoClass *klass)
{
	for (MonoClass *declaring = klass; declaring != NULL; declaring = mono_class_get_parent(declaring)) {
		size_t before = list->count;

		list->class_key = declaring == klass ? 0 : key_of(declaring);
		add_fields(list, declaring, "", OBJECT_HEADER_SIZE);
		if (declaring != klass && list->count > before)
			names_define_class_once(profiler, declaring);
	}
}

static int compare_fields(const void *left, const void *right)
{
	const mprof_class_field *a = left;
	const mprof_class_field *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Sorts the fields. Of those at the same offset, as in a union, only the first one remains. */
static void sort_fields(field_list *list)
{
	size_t kept = 0;

	qsort(list->fields, list->count, sizeof(*list->fields), compare_fields);
	for (size_t i = 0; i < list->count; i++) {
		if (kept > 0 && list->fields[kept - 1].offset == list->fields[i].offset)
			free((char *)(uintptr_t)list->fields[i].name);
		else
			list->fields[kept++] = list->fields[i];
	}
	list->count = kept;
}

int object_fields_are_recorded(const MonoProfiler *profiler)
{
	return (profiler->options.kinds & RECORD_HEAP) != 0 && !profiler->options.no_heap_fields &&
	       !options_are_classic(&profiler->options);
}

void object_fields_define(MonoProfiler *profiler, MonoClass *klass)
{
	int kind = mono_type_get_type(mono_class_get_type(klass));
	field_list list = {.fields = NULL};

	if (kind == MONO_TYPE_SZARRAY || kind == MONO_TYPE_ARRAY)
		add_elements(&list, klass);
	else
		add_objects_fields(profiler, &list, klass);
	if (list.count > 0 && !list.has_failed) {
		sort_fields(&list);
		if (!profiler_has_ended(profiler))
			(void)mprof_recorder_define_fields(profiler->recorder, key_of(klass), list.fields,
							   sizeof(*list.fields), list.count);
	}
	for (size_t i = 0; i < list.count; i++)
		free((char *)(uintptr_t)list.fields[i].name);
	free(list.fields);
}
