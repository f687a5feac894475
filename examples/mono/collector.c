/* SPDX-License-Identifier: MIT */
/**
 * \file collector.c
 * \brief Collections, stops of the world and sizes of the heap.
 *
 * These callbacks run while all other threads of the program may be stopped, on the thread that collects, which may be
 * one of the collector's own. They allocate nothing and wait for nothing.
 */
#include "heap.h"
#include "threads.h"

/* How often a thread without a handle looks whether the common one is free. Its holder only stores 16 bytes. */
#define MAX_LOOKS 1000

static int take_common_handle(MonoProfiler *profiler)
{
	for (int look = 0; look < MAX_LOOKS; look++)
		if (!atomic_flag_test_and_set_explicit(&profiler->collector_busy, memory_order_acquire))
			return 1;
	return 0;
}

static void record(MonoProfiler *profiler, mprof_event_kind kind, uint64_t value)
{
	if (current_recording != NULL) {
		mprof_thread_event(current_recording, kind, 0, value);
		return;
	}
	/*
	 * The collector serializes its events, but for changes of the heap's size, which several of its threads may
	 * report together. The next of those tells the size as well.
	 */
	if (profiler->collector == NULL || !take_common_handle(profiler))
		return;
	atomic_store_explicit(&profiler->collector_used, 1, memory_order_relaxed);
	mprof_thread_event(profiler->collector, kind, 0, value);
	atomic_flag_clear_explicit(&profiler->collector_busy, memory_order_release);
}

static void record_step(MonoProfiler *profiler, MonoProfilerGCEvent step, uint32_t generation)
{
	switch (step) {
	case MONO_GC_EVENT_PRE_STOP_WORLD:
		record(profiler, MPROF_EVENT_GC_STOP_WORLD_START, generation);
		break;
	case MONO_GC_EVENT_POST_STOP_WORLD:
		record(profiler, MPROF_EVENT_GC_STOP_WORLD_END, generation);
		break;
	case MONO_GC_EVENT_START:
		record(profiler, MPROF_EVENT_GC_START, generation);
		break;
	case MONO_GC_EVENT_END:
		record(profiler, MPROF_EVENT_GC_END, generation);
		break;
	case MONO_GC_EVENT_PRE_START_WORLD:
		record(profiler, MPROF_EVENT_GC_START_WORLD_START, generation);
		break;
	case MONO_GC_EVENT_POST_START_WORLD:
		record(profiler, MPROF_EVENT_GC_START_WORLD_END, generation);
		break;
	default:
		break;
	}
}

static void gc_event(MonoProfiler *profiler, MonoProfilerGCEvent step, uint32_t generation, mono_bool is_serial)
{
	(void)is_serial;
	/* The world stands still while the heap is walked, before it is told to go on. */
	heap_collection_step(profiler, step, generation);
	if (profiler->options.kinds & RECORD_COLLECTIONS)
		record_step(profiler, step, generation);
}

static void gc_resize(MonoProfiler *profiler, uintptr_t size)
{
	record(profiler, MPROF_EVENT_GC_RESIZE, size);
}

void collector_install(MonoProfiler *profiler)
{
	uint32_t kinds = profiler->options.kinds;

	heap_install(profiler);
	if (kinds & (RECORD_COLLECTIONS | RECORD_HEAP | RECORD_FREED | RECORD_SUMMARIES))
		mono_profiler_set_gc_event_callback(profiler->handle, gc_event);
	if (kinds & RECORD_COLLECTIONS)
		mono_profiler_set_gc_resize_callback(profiler->handle, gc_resize);
}
