/* SPDX-License-Identifier: MIT */
/* Records finalizers, and the batches in which the runtime runs them. */
#include "finalizers.h"

#include "threads.h"

#include <mono/metadata/object.h>

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
