/* SPDX-License-Identifier: MIT */
/* Records the memory areas that the collector uses as roots. */
#include "roots.h"

#include "names.h"
#include "static_fields.h"
#include "threads.h"

#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>

#include <pthread.h>

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
