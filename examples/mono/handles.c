/* SPDX-License-Identifier: MIT */
/* Records handles and finalizers. */
#include "handles.h"

#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>

#include "names.h"
#include "stacks.h"
#include "threads.h"

#include <fnmatch.h>
#include <string.h>

/* Indexed by MonoGCHandleType, whose values equal those of mprof_handle_type. */
static const char *const type_names[] = {"weak", "weak-track", "normal", "pinned"};

/* The handles that the option selects; set before the first handle. */
static struct {
	int type;            /* The only type that is recorded, or -1 for all. */
	const char *pattern; /* Pattern of class names, or NULL. */
	key_set kept;        /* With a pattern: the recorded handles, by key_of_handle(). */
} wanted = {.type = -1};

/*
 * The option handles=TYPE selects handles of one type, handles=class:PATTERN handles to objects of matching classes.
 */

/* Keys of a set are like addresses: never 0, and distinguished by the bits above the lowest three. */
static const void *key_of_handle(uint32_t handle)
{
	return (const void *)(((uintptr_t)handle + 1) << 3);
}

static int class_matches(MonoProfiler *profiler, MonoClass *klass)
{
	uint8_t flags = key_set_get(&profiler->classes, klass);
	char *name;

	if ((flags & (CLASS_HANDLES_WANTED | CLASS_HANDLES_UNWANTED)) == 0) {
		name = names_of_class(klass);
		flags = name != NULL && fnmatch(wanted.pattern, name, 0) == 0 ? CLASS_HANDLES_WANTED
									      : CLASS_HANDLES_UNWANTED;
		mono_free(name);
		key_set_mark(&profiler->classes, klass, flags);
	}
	return (flags & CLASS_HANDLES_WANTED) != 0;
}

static int is_wanted(MonoProfiler *profiler, uint32_t handle, MonoGCHandleType type, MonoObject *object)
{
	if (wanted.type >= 0 && (int)type != wanted.type)
		return 0;
	if (wanted.pattern == NULL)
		return 1;
	if (object == NULL || !class_matches(profiler, mono_vtable_class(object->vtable)))
		return 0;
	key_set_put(&wanted.kept, key_of_handle(handle), NULL, 1);
	return 1;
}

static int was_wanted(uint32_t handle, MonoGCHandleType type)
{
	if (wanted.type >= 0 && (int)type != wanted.type)
		return 0;
	return wanted.pattern == NULL || key_set_remove(&wanted.kept, key_of_handle(handle)) != 0;
}

static void handle_created(MonoProfiler *profiler, uint32_t handle, MonoGCHandleType type, MonoObject *object)
{
	thread_state *state = threads_state(profiler);
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count;

	if (state == NULL || !profiler_is_recording(profiler) || !is_wanted(profiler, handle, type, object))
		return;
	count = stacks_here(profiler, state, frames, profiler->options.stack_depth);
	mprof_thread_record_handle_created(state->recording, handle, type,
					   object == NULL ? 0 : key_of(mono_vtable_class(object->vtable)),
					   (uint64_t)(uintptr_t)object, frames, count);
}

static void handle_deleted(MonoProfiler *profiler, uint32_t handle, MonoGCHandleType type)
{
	thread_state *state = threads_state(profiler);
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count;

	if (state == NULL || !was_wanted(handle, type) || !profiler_is_recording(profiler))
		return;
	count = stacks_here(profiler, state, frames, profiler->options.stack_depth);
	mprof_thread_record_handle_deleted(state->recording, handle, type, frames, count);
}

void handles_install(MonoProfiler *profiler)
{
	const char *requested = profiler->options.handles.type;

	if ((profiler->options.kinds & RECORD_HANDLES) == 0)
		return;
	for (size_t i = 0; requested != NULL && i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (strcmp(requested, type_names[i]) == 0)
			wanted.type = (int)i;
	wanted.pattern = profiler->options.handle_class;
	key_set_init(&wanted.kept);
	mono_profiler_set_gc_handle_created_callback(profiler->handle, handle_created);
	mono_profiler_set_gc_handle_deleted_callback(profiler->handle, handle_deleted);
}

static void record_turn(MonoProfiler *profiler, mprof_event_kind kind)
{
	mprof_thread *recording = threads_recording(profiler);

	if (recording != NULL)
		mprof_thread_record_event(recording, kind, 0, 0);
}

static void gc_finalizing(MonoProfiler *profiler)
{
	record_turn(profiler, MPROF_EVENT_FINALIZATION_START);
}

static void gc_finalized(MonoProfiler *profiler)
{
	record_turn(profiler, MPROF_EVENT_FINALIZATION_END);
}

static void record_object(MonoProfiler *profiler, MonoObject *object, int is_end)
{
	mprof_thread *recording = threads_recording(profiler);

	if (recording != NULL)
		mprof_thread_record_finalizer(recording, is_end, key_of(mono_vtable_class(object->vtable)),
					      (uint64_t)(uintptr_t)object);
}

static void gc_finalizing_object(MonoProfiler *profiler, MonoObject *object)
{
	record_object(profiler, object, 0);
}

static void gc_finalized_object(MonoProfiler *profiler, MonoObject *object)
{
	record_object(profiler, object, 1);
}

void finalizers_install(MonoProfiler *profiler)
{
	if ((profiler->options.kinds & RECORD_FINALIZERS) == 0)
		return;
	mono_profiler_set_gc_finalizing_callback(profiler->handle, gc_finalizing);
	mono_profiler_set_gc_finalized_callback(profiler->handle, gc_finalized);
	mono_profiler_set_gc_finalizing_object_callback(profiler->handle, gc_finalizing_object);
	mono_profiler_set_gc_finalized_object_callback(profiler->handle, gc_finalized_object);
}
