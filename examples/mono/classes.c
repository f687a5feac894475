/* SPDX-License-Identifier: MIT */
/*
 * Records loaded classes, thrown exceptions, and the clauses that run because of them.
 *
 * A class is defined when the runtime begins to create its vtable. This precedes its first object on every thread; the
 * report that the vtable is complete can follow the first object.
 */
#include "classes.h"

#include "names.h"
#include "object_fields.h"
#include "stacks.h"
#include "threads.h"

#include <mono/metadata/metadata.h>
#include <mono/metadata/object.h>

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
	count = stacks_thrown(profiler, state, frames, profiler->options.stack_depth);
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
