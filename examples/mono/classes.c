/* SPDX-License-Identifier: MIT */
/* Names classes, and describes the fields of their objects. */
#include "classes.h"

#include <mono/metadata/attrdefs.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/object.h>

#include "names.h"
#include "stacks.h"
#include "threads.h"

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

/* Defines the fields of a class that is defined and is about to have objects. */
static void object_fields_define(MonoProfiler *profiler, MonoClass *klass)
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

/*
 * A class is defined when the runtime begins to create its vtable. This precedes its first object on every thread; the
 * report that the vtable is complete can follow the first object.
 */

static void vtable_loading(MonoProfiler *profiler, MonoVTable *vtable)
{
	/* Not names_define_class_once(): the address may have belonged to another class. */
	names_define_class_of_objects(profiler, mono_vtable_class(vtable));
	if (object_fields_are_recorded(profiler))
		object_fields_define(profiler, mono_vtable_class(vtable));
}

static void exception_throw_stack(MonoProfiler *profiler, MonoObject *exception)
{
	thread_state *state = threads_state(profiler);
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count;

	if (state == NULL || !profiler_is_recording(profiler))
		return;
	count = stacks_thrown(profiler, state, frames, profiler->options.exception_depth);
	mprof_thread_record_exception(state->recording, key_of(mono_vtable_class(exception->vtable)), frames, count);
}

static void exception_throw(MonoProfiler *profiler, MonoObject *exception)
{
	mprof_thread *recording = threads_recording(profiler);

	if (recording != NULL)
		mprof_thread_record_event(recording, MPROF_EVENT_EXCEPTION, 0,
					  key_of(mono_vtable_class(exception->vtable)));
}

static mprof_clause_kind clause_kind(MonoExceptionEnum kind)
{
	switch (kind) {
	case MONO_EXCEPTION_CLAUSE_FILTER:
		return MPROF_CLAUSE_FILTER;
	case MONO_EXCEPTION_CLAUSE_FINALLY:
		return MPROF_CLAUSE_FINALLY;
	case MONO_EXCEPTION_CLAUSE_FAULT:
		return MPROF_CLAUSE_FAULT;
	default:
		return MPROF_CLAUSE_CATCH;
	}
}

/*
 * Without an exception, the runtime reports only finally clauses, and only those of code that it compiles at run time:
 * these are not recorded.
 */
static void exception_clause(MonoProfiler *profiler, MonoMethod *method, uint32_t number, MonoExceptionEnum kind,
			     MonoObject *exception)
{
	mprof_thread *recording = exception == NULL ? NULL : threads_recording(profiler);

	if (recording == NULL || !profiler_is_recording(profiler))
		return;
	names_define_method_once(profiler, method);
	(void)mprof_thread_record_exception_clause(recording, clause_kind(kind), number,
						   key_of(mono_vtable_class(exception->vtable)), key_of(method));
}

/* The record kinds whose events refer to the class of an object. */
#define KINDS_ABOUT_OBJECTS                                                                                            \
	(RECORD_ALLOCATIONS | RECORD_EXCEPTIONS | RECORD_HEAP | RECORD_HANDLES | RECORD_MONITORS | RECORD_FINALIZERS | \
	 RECORD_FREED | RECORD_SUMMARIES)

/* A type parameter, the "T" of a generic class, has a MonoClass too, but is not a class. */
static int is_type_parameter(MonoClass *klass)
{
	int kind = mono_type_get_type(mono_class_get_type(klass));

	return kind == MONO_TYPE_VAR || kind == MONO_TYPE_MVAR;
}

/*
 * Most classes have no name yet when loading begins, so both events are recorded when it ends. The pair shows that a
 * class was loaded and when, but not how long it took.
 */
static void record_load(MonoProfiler *profiler, MonoClass *klass, uint32_t flags)
{
	mprof_thread *recording = threads_recording(profiler);

	if (recording == NULL || is_type_parameter(klass))
		return;
	names_define_class(profiler, klass);
	mprof_thread_record_event(recording, MPROF_EVENT_CLASS_LOAD_START, 0, key_of(klass));
	mprof_thread_record_event(recording, MPROF_EVENT_CLASS_LOAD_END, flags, key_of(klass));
}

static void class_loaded(MonoProfiler *profiler, MonoClass *klass)
{
	record_load(profiler, klass, 0);
}

static void class_failed(MonoProfiler *profiler, MonoClass *klass)
{
	record_load(profiler, klass, MPROF_EVENT_FLAG_FAILED);
}

void classes_install(MonoProfiler *profiler)
{
	MonoProfilerHandle handle = profiler->handle;
	uint32_t kinds = profiler->options.kinds;

	if (kinds & KINDS_ABOUT_OBJECTS)
		mono_profiler_set_vtable_loading_callback(handle, vtable_loading);
	if (kinds & RECORD_EXCEPTIONS)
		mono_profiler_set_exception_throw_callback(
			handle, profiler->options.exceptions.has_stacks ? exception_throw_stack : exception_throw);
	if (kinds & RECORD_EXCEPTIONS && profiler->options.exceptions.has_clauses && mono_profiler_enable_clauses())
		mono_profiler_set_exception_clause_callback(handle, exception_clause);
	if (kinds & RECORD_CLASSES) {
		mono_profiler_set_class_loaded_callback(handle, class_loaded);
		mono_profiler_set_class_failed_callback(handle, class_failed);
	}
}
