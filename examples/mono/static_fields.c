/* SPDX-License-Identifier: MIT */
/* Registers static fields as root areas of their own. */
#include "static_fields.h"

#include "names.h"

#include <mono/metadata/attrdefs.h>
#include <mono/metadata/metadata.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct static_field {
	MonoClassField *field;
	uint32_t offset; /* From the start of the memory. */
} static_field;

/*
 * The areas of one class in one domain. They are kept until the runtime unregisters the memory, which it identifies by
 * the start address.
 */
typedef struct split_area {
	struct split_area *next;
	uint64_t start;
	size_t count;
	uint32_t offsets[];
} split_area;

/* split_lock guards split_areas. Both callbacks run while the world is not stopped, so they may wait for it. */
static pthread_mutex_t split_lock = PTHREAD_MUTEX_INITIALIZER;
static split_area *split_areas;

/* Fields of generic types and structs may contain references. */
static int may_hold_references(MonoClassField *field)
{
	MonoType *type = mono_field_get_type(field);

	return mono_type_is_reference(type) || mono_type_is_struct(type);
}

/* Literals have no memory. Fields of threads are in memory of the thread, to which their offset does not refer. */
static int is_in_area(MonoClassField *field, uint64_t size)
{
	uint32_t flags = mono_field_get_flags(field);

	return (flags & MONO_FIELD_ATTR_STATIC) != 0 && (flags & MONO_FIELD_ATTR_LITERAL) == 0 &&
	       mono_field_get_offset(field) < size && may_hold_references(field);
}

static int compare_fields(const void *left, const void *right)
{
	const static_field *a = left;
	const static_field *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The fields in the order of their addresses. NULL if none or out of memory; the caller frees the array. */
static static_field *collect_fields(MonoClass *klass, uint64_t size, size_t *count)
{
	size_t room = (size_t)mono_class_num_fields(klass);
	static_field *fields = malloc((room + 1) * sizeof(*fields));
	MonoClassField *field;
	void *iterator = NULL;

	*count = 0;
	if (fields == NULL)
		return NULL;
	while (*count < room && (field = mono_class_get_fields(klass, &iterator)) != NULL)
		if (is_in_area(field, size))
			fields[(*count)++] = (static_field){field, mono_field_get_offset(field)};
	if (*count == 0) {
		free(fields);
		return NULL;
	}
	qsort(fields, *count, sizeof(*fields), compare_fields);
	return fields;
}

static void register_fields(MonoProfiler *profiler, const mprof_root_area *whole, const char *class_name,
			    const static_field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *called = mono_field_get_name(fields[i].field);
		uint64_t end = i + 1 < count ? fields[i + 1].offset : whole->size;
		mprof_root_area area = *whole;
		size_t size = strlen(class_name) + strlen(called) + 2;
		char *name = malloc(size);

		if (name != NULL)
			snprintf(name, size, "%s.%s", class_name, called);
		area.start = whole->start + fields[i].offset;
		area.size = end - fields[i].offset;
		area.name = name;
		(void)mprof_recorder_register_root(profiler->recorder, &area);
		free(name);
	}
}

static int remember_split(uint64_t start, const static_field *fields, size_t count)
{
	split_area *split = malloc(sizeof(*split) + count * sizeof(split->offsets[0]));

	if (split == NULL)
		return 0;
	split->start = start;
	split->count = count;
	for (size_t i = 0; i < count; i++)
		split->offsets[i] = fields[i].offset;
	pthread_mutex_lock(&split_lock);
	split->next = split_areas;
	split_areas = split;
	pthread_mutex_unlock(&split_lock);
	return 1;
}

int static_fields_register(MonoProfiler *profiler, MonoClass *klass, const mprof_root_area *whole)
{
	size_t count;
	static_field *fields = collect_fields(klass, whole->size, &count);
	char *class_name = fields == NULL ? NULL : names_of_class(klass);
	int is_split = class_name != NULL && remember_split(whole->start, fields, count);

	if (is_split)
		register_fields(profiler, whole, class_name, fields, count);
	mono_free(class_name);
	free(fields);
	return is_split;
}

static split_area *take_split(uint64_t start)
{
	split_area **link = &split_areas;
	split_area *split;

	pthread_mutex_lock(&split_lock);
	while (*link != NULL && (*link)->start != start)
		link = &(*link)->next;
	split = *link;
	if (split != NULL)
		*link = split->next;
	pthread_mutex_unlock(&split_lock);
	return split;
}

int static_fields_unregister(MonoProfiler *profiler, uint64_t start)
{
	split_area *split = take_split(start);

	if (split == NULL)
		return 0;
	for (size_t i = 0; i < split->count; i++)
		(void)mprof_recorder_unregister_root(profiler->recorder, start + split->offsets[i]);
	free(split);
	return 1;
}
