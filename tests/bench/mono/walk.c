/* SPDX-License-Identifier: MIT */
/*
 * A profiler module that walks the heap at the end of each full collection, with the world stopped: with a callback
 * that does nothing, and with one that gives each object to a recorder. Prints what both took. Not installed.
 */
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/profiler.h>
#include <mprof/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct _MonoProfiler {
	mprof_recorder *recorder;
	uint64_t objects;
};

static MonoProfiler module;

void mono_profiler_init_walk(const char *text);

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int pass(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
		uintptr_t *offsets, void *data)
{
	(void)object;
	(void)klass;
	(void)count;
	(void)references;
	(void)offsets;
	((MonoProfiler *)data)->objects += size != 0;
	return 0;
}

static int record(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
		  uintptr_t *offsets, void *data)
{
	mprof_recorder *recorder = ((MonoProfiler *)data)->recorder;

	(void)offsets;
	if (size != 0)
		mprof_recorder_add_heap_object(recorder, (uint64_t)(uintptr_t)object, (uint64_t)(uintptr_t)klass, size,
					       (const uint64_t *)(void *)references, NULL, count);
	else
		mprof_recorder_add_heap_references(recorder, (const uint64_t *)(void *)references, NULL, count);
	return 0;
}

static void gc_event(MonoProfiler *profiler, MonoProfilerGCEvent event, uint32_t generation, mono_bool is_serial)
{
	double start;
	double passed;
	double recorded;

	(void)is_serial;
	if (event != MONO_GC_EVENT_PRE_START_WORLD || generation != (uint32_t)mono_gc_max_generation())
		return;
	/* The first walk brings the heap into the cache, as far as it fits. */
	mono_gc_walk_heap(0, pass, profiler);
	profiler->objects = 0;
	start = now();
	mono_gc_walk_heap(0, pass, profiler);
	passed = now() - start;
	start = now();
	if (!mprof_recorder_begin_heap(profiler->recorder, MPROF_HEAP_USE_SHOT, 0))
		return;
	mono_gc_walk_heap(0, record, profiler);
	mprof_recorder_end_heap(profiler->recorder);
	recorded = now() - start;
	printf("%lu %.2f %.2f %.3f\n", (unsigned long)profiler->objects, passed / (double)profiler->objects,
	       recorded / (double)profiler->objects, recorded / passed);
}

static void end(void)
{
	mprof_recorder_close(module.recorder);
}

void mono_profiler_init_walk(const char *text)
{
	MonoProfilerHandle handle = mono_profiler_create(&module);

	(void)text;
	if (mprof_recorder_open_path("/dev/null", NULL, &module.recorder, NULL) != MPROF_OK)
		exit(1);
	atexit(end);
	mono_profiler_set_gc_event_callback(handle, gc_event);
}
