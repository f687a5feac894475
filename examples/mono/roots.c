/* SPDX-License-Identifier: MIT */
/* Records roots, static fields among them. */
#include "roots.h"

#include <mono/metadata/attrdefs.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>

#include "names.h"
#include "threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT_HEADER (2 * sizeof(void *))

/* Structs inside of structs beyond this are one area. */
#define MAX_NESTED 8

/* A static field, or a field of a struct in one. */
typedef struct static_field {
	char *name;      /* As in "Class.field.inner". */
	uint32_t offset; /* From the start of the memory. */
} static_field;

typedef struct field_list {
	static_field *fields;
	size_t count;
	size_t capacity;
} field_list;

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

static void free_fields(field_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->fields[i].name);
	free(list->fields);
}

static char *join_name(const char *scope, MonoClassField *field)
{
	const char *called = mono_field_get_name(field);
	size_t size = strlen(scope) + strlen(called) + 2;
	char *name = malloc(size);

	if (name != NULL)
		snprintf(name, size, "%s.%s", scope, called);
	return name;
}

/* Takes the name. */
static int add_field(field_list *list, char *name, uint32_t offset)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity * 2 + 8;
		static_field *larger = realloc(list->fields, capacity * sizeof(*larger));

		if (larger == NULL) {
			free(name);
			return 0;
		}
		list->fields = larger;
		list->capacity = capacity;
	}
	list->fields[list->count++] = (static_field){name, offset};
	return 1;
}

/* Offsets of the fields of a struct include the header that it has as an object. */
static uint32_t offset_in_struct(MonoClassField *field)
{
	return mono_field_get_offset(field) - (uint32_t)OBJECT_HEADER;
}

/* Adds a field, or those of its struct that may hold references. Takes the name. Returns 0 if out of memory. */
static int add_parts(field_list *list, MonoClassField *field, char *name, uint32_t offset, int depth)
{
	MonoType *type = mono_field_get_type(field);
	MonoClassField *inner;
	void *iterator = NULL;
	MonoClass *klass;
	int is_added = 1;

	if (name == NULL || depth == MAX_NESTED || !mono_type_is_struct(type))
		return name != NULL && add_field(list, name, offset);
	klass = mono_class_from_mono_type(type);
	while (is_added && (inner = mono_class_get_fields(klass, &iterator)) != NULL) {
		if ((mono_field_get_flags(inner) & MONO_FIELD_ATTR_STATIC) == 0 && may_hold_references(inner))
			is_added = add_parts(list, inner, join_name(name, inner), offset + offset_in_struct(inner),
					     depth + 1);
	}
	free(name);
	return is_added;
}

/* Of fields at one place in a struct, the first one stays. */
static void drop_overlaps(field_list *list)
{
	size_t kept = 1;

	for (size_t i = 1; i < list->count; i++) {
		if (list->fields[i].offset == list->fields[kept - 1].offset)
			free(list->fields[i].name);
		else
			list->fields[kept++] = list->fields[i];
	}
	list->count = kept;
}

/* The fields in the order of their addresses. Returns 0 if there are none, or out of memory. */
static int collect_fields(MonoClass *klass, const char *class_name, uint64_t size, field_list *list)
{
	MonoClassField *field;
	void *iterator = NULL;
	int is_added = 1;

	while (is_added && (field = mono_class_get_fields(klass, &iterator)) != NULL) {
		if (is_in_area(field, size))
			is_added =
				add_parts(list, field, join_name(class_name, field), mono_field_get_offset(field), 0);
	}
	if (!is_added || list->count == 0)
		return 0;
	qsort(list->fields, list->count, sizeof(*list->fields), compare_fields);
	drop_overlaps(list);
	return 1;
}

static void register_fields(MonoProfiler *profiler, const mprof_root_area *whole, const field_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		uint64_t end = i + 1 < list->count ? list->fields[i + 1].offset : whole->size;
		mprof_root_area area = *whole;

		area.start = whole->start + list->fields[i].offset;
		area.size = end - list->fields[i].offset;
		area.name = list->fields[i].name;
		(void)mprof_recorder_register_root(profiler->recorder, &area);
	}
}

static int remember_split(uint64_t start, const field_list *list)
{
	const size_t count = list->count;
	split_area *split = malloc(sizeof(*split) + count * sizeof(split->offsets[0]));

	if (split == NULL)
		return 0;
	split->start = start;
	split->count = count;
	for (size_t i = 0; i < count; i++)
		split->offsets[i] = list->fields[i].offset;
	pthread_mutex_lock(&split_lock);
	split->next = split_areas;
	split_areas = split;
	pthread_mutex_unlock(&split_lock);
	return 1;
}

/*
 * So a root of a heap snapshot is the field "Namespace.Class.field" and not just the class.
 */

/*
 * Registers the static fields of a class as areas, which together cover whole from the first such field on. Returns
 * 0 if out of memory or if no field is known: the caller then registers whole itself.
 */
static int static_fields_register(MonoProfiler *profiler, MonoClass *klass, const mprof_root_area *whole)
{
	char *class_name = names_of_class(klass);
	field_list list = {NULL, 0, 0};
	int is_split = class_name != NULL && collect_fields(klass, class_name, whole->size, &list) &&
		       remember_split(whole->start, &list);

	if (is_split)
		register_fields(profiler, whole, &list);
	mono_free(class_name);
	free_fields(&list);
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

/*
 * Unregisters the fields of the memory that starts at start. Returns 0 if static_fields_register() has not split
 * it.
 */
static int static_fields_unregister(MonoProfiler *profiler, uint64_t start)
{
	split_area *split = take_split(start);

	if (split == NULL)
		return 0;
	for (size_t i = 0; i < split->count; i++)
		(void)mprof_recorder_unregister_root(profiler->recorder, start + split->offsets[i]);
	free(split);
	return 1;
}

/*
 * Roots that are not memory areas have a small number instead of an address. The runtime reports these while the world
 * is stopped, when they cannot be recorded. They are always the same, so they are listed here.
 */
#define FIRST_ADDRESS 4096

static const mprof_root_area areas_without_memory[] = {
	{sizeof(mprof_root_area), 1, 1, MPROF_ROOT_FINALIZER, 0, 0, 0, "Finalizer Queue"},
	{sizeof(mprof_root_area), 2, 1, MPROF_ROOT_FINALIZER, 0, 0, 0, "Finalizer Queue (Critical)"},
	{sizeof(mprof_root_area), 3, 1, MPROF_ROOT_RUNTIME, 0, 0, 0, "Ephemerons"},
	{sizeof(mprof_root_area), 4, 1, MPROF_ROOT_RUNTIME, 0, 0, 0, "ToggleRefs"},
};

static mprof_root_kind kind_of(MonoGCRootSource source)
{
	switch (source) {
	case MONO_ROOT_SOURCE_STACK:
		return MPROF_ROOT_STACK;
	case MONO_ROOT_SOURCE_FINALIZER_QUEUE:
		return MPROF_ROOT_FINALIZER;
	case MONO_ROOT_SOURCE_STATIC:
		return MPROF_ROOT_STATIC;
	case MONO_ROOT_SOURCE_THREAD_STATIC:
	case MONO_ROOT_SOURCE_CONTEXT_STATIC:
		return MPROF_ROOT_THREAD_STATIC;
	case MONO_ROOT_SOURCE_GC_HANDLE:
		return MPROF_ROOT_HANDLE;
	case MONO_ROOT_SOURCE_EXTERNAL:
		return MPROF_ROOT_OTHER;
	default:
		return MPROF_ROOT_RUNTIME;
	}
}

/* The runtime registers a thread's own areas before it announces the start of the thread. */
static uint64_t thread_of(MonoProfiler *profiler, const void *key)
{
	if ((uintptr_t)key == (uintptr_t)pthread_self())
		(void)threads_recording(profiler);
	return threads_id_of((uintptr_t)key);
}

static void root_register(MonoProfiler *profiler, const mono_byte *start, uintptr_t size, MonoGCRootSource source,
			  const void *key, const char *name)
{
	mprof_root_area area = {.struct_size = sizeof(mprof_root_area),
				.start = (uint64_t)(uintptr_t)start,
				.size = size,
				.kind = kind_of(source),
				.name = name};

	if (area.start < FIRST_ADDRESS || profiler_has_ended(profiler))
		return;
	switch (source) {
	case MONO_ROOT_SOURCE_STATIC: {
		MonoClass *klass = mono_vtable_class((MonoVTable *)(uintptr_t)key);

		names_define_class_once(profiler, klass);
		area.class_key = key_of(klass);
		if (static_fields_register(profiler, klass, &area))
			return;
		break;
	}
	case MONO_ROOT_SOURCE_STACK:
	case MONO_ROOT_SOURCE_THREAD_STATIC:
	case MONO_ROOT_SOURCE_THREADING:
	case MONO_ROOT_SOURCE_HANDLE:
		area.thread = key == NULL ? 0 : thread_of(profiler, key);
		break;
	default:
		break;
	}
	(void)mprof_recorder_register_root(profiler->recorder, &area);
}

static void root_unregister(MonoProfiler *profiler, const mono_byte *start)
{
	if ((uintptr_t)start < FIRST_ADDRESS || profiler_has_ended(profiler))
		return;
	if (!static_fields_unregister(profiler, (uint64_t)(uintptr_t)start))
		(void)mprof_recorder_unregister_root(profiler->recorder, (uint64_t)(uintptr_t)start);
}

void roots_install(MonoProfiler *profiler)
{
	if ((profiler->options.kinds & RECORD_HEAP) == 0)
		return;
	for (size_t i = 0; i < sizeof(areas_without_memory) / sizeof(areas_without_memory[0]); i++)
		(void)mprof_recorder_register_root(profiler->recorder, &areas_without_memory[i]);
	mono_profiler_set_gc_root_register_callback(profiler->handle, root_register);
	mono_profiler_set_gc_root_unregister_callback(profiler->handle, root_unregister);
}
