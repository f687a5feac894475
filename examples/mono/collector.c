/* SPDX-License-Identifier: MIT */
/*
 * Records collections, stops of the world and sizes of the heap.
 *
 * These callbacks run while all other threads of the program may be stopped, on the thread that collects, which may be
 * one of the collector's own. They do not allocate and do not wait.
 */
#include "collector.h"

#include "heap.h"
#include "runtime_work.h"
#include "threads.h"

/* How often a thread without a handle tries to acquire the shared one. Its holder keeps it while it stores 16 bytes. */
#define MAX_LOOKS 1000

/* The collector has generations 0 and 1. */
#define GENERATIONS 2

static int acquire_shared_handle(MonoProfiler *profiler)
{
	for (int look = 0; look < MAX_LOOKS; look++)
		if (!atomic_flag_test_and_set_explicit(&profiler->collector_busy, memory_order_acquire))
			return 1;
	return 0;
}

static void record_collection_event(MonoProfiler *profiler, mprof_event_kind kind, uint32_t number, uint64_t value)
{
	if (current_recording != NULL) {
		mprof_thread_record_collection(current_recording, kind, number, value);
		return;
	}
	/*
	 * The collector serializes its events, except changes of the heap's size, which several of its threads may
	 * report at the same time. A change that is skipped here is harmless: the next one contains the size as well.
	 */
	if (profiler->collector == NULL || !acquire_shared_handle(profiler))
		return;
	atomic_store_explicit(&profiler->collector_used, 1, memory_order_relaxed);
	mprof_thread_record_collection(profiler->collector, kind, number, value);
	atomic_flag_clear_explicit(&profiler->collector_busy, memory_order_release);
}

/* The number assigned last. In logs of Mono 2, changes of the heap's size are numbered too, and happen at any time. */
static _Atomic uint32_t last_number;

/* The number of the last collection, by generation. */
static uint32_t number_of[GENERATIONS];
static uint32_t number_of_current;

static uint32_t next_number(void)
{
	return atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
}

/*
 * The number of the collection that a step belongs to. A collection of the old generation may run concurrently with the
 * program; others may begin and end meanwhile.
 */
static uint32_t number_at(MonoProfilerGCEvent step, uint32_t generation)
{
	switch (step) {
	case MONO_GC_EVENT_PRE_STOP_WORLD:
	case MONO_GC_EVENT_POST_STOP_WORLD:
		/* The world is stopped for the collection that follows, which gets the next number. */
		return atomic_load_explicit(&last_number, memory_order_relaxed) + 1;
	case MONO_GC_EVENT_START:
		number_of_current = number_of[generation % GENERATIONS] = next_number();
		return number_of_current;
	case MONO_GC_EVENT_END:
		return number_of[generation % GENERATIONS];
	default:
		return number_of_current;
	}
}

static void record_step(MonoProfiler *profiler, MonoProfilerGCEvent step, uint32_t generation, uint32_t number)
{
	switch (step) {
	case MONO_GC_EVENT_PRE_STOP_WORLD:
		record_collection_event(profiler, MPROF_EVENT_GC_STOP_WORLD_START, number, generation);
		break;
	case MONO_GC_EVENT_POST_STOP_WORLD:
		record_collection_event(profiler, MPROF_EVENT_GC_STOP_WORLD_END, number, generation);
		break;
	case MONO_GC_EVENT_START:
		record_collection_event(profiler, MPROF_EVENT_GC_START, number, generation);
		break;
	case MONO_GC_EVENT_END:
		record_collection_event(profiler, MPROF_EVENT_GC_END, number, generation);
		break;
	case MONO_GC_EVENT_PRE_START_WORLD:
		record_collection_event(profiler, MPROF_EVENT_GC_START_WORLD_START, number, generation);
		break;
	case MONO_GC_EVENT_POST_START_WORLD:
		record_collection_event(profiler, MPROF_EVENT_GC_START_WORLD_END, number, generation);
		break;
	default:
		break;
	}
}

static void gc_event(MonoProfiler *profiler, MonoProfilerGCEvent step, uint32_t generation, mono_bool is_serial)
{
	uint32_t number = number_at(step, generation);

	(void)is_serial;
	/* These two are reported by the thread that stopped the world; the others by threads of the collector, too. */
	if (step == MONO_GC_EVENT_PRE_STOP_WORLD || step == MONO_GC_EVENT_POST_START_WORLD)
		runtime_work_set_collecting(step == MONO_GC_EVENT_PRE_STOP_WORLD);
	/* The heap is walked before the world is restarted. */
	heap_collection_step(profiler, step, generation, number_of[generation % GENERATIONS]);
	if (profiler->options.kinds & RECORD_COLLECTIONS)
		record_step(profiler, step, generation, number);
}

static int numbers_resizes(const MonoProfiler *profiler)
{
	mprof_dialect_info dialect = {.struct_size = sizeof(dialect)};

	return mprof_dialect_get_info(profiler->options.dialect, &dialect) == MPROF_OK && dialect.counts_collections;
}

static void gc_resize(MonoProfiler *profiler, uintptr_t size)
{
	record_collection_event(profiler, MPROF_EVENT_GC_RESIZE, numbers_resizes(profiler) ? next_number() : 0, size);
}

void collector_show(MonoProfiler *profiler)
{
	mono_profiler_set_gc_event_callback(profiler->handle, gc_event);
}

void collector_install(MonoProfiler *profiler)
{
	uint32_t kinds = profiler->options.kinds;

	heap_install(profiler);
	if (kinds & (RECORD_COLLECTIONS | RECORD_HEAP | RECORD_FREED | RECORD_SUMMARIES | RECORD_SAMPLES))
		collector_show(profiler);
	if (kinds & RECORD_COLLECTIONS)
		mono_profiler_set_gc_resize_callback(profiler->handle, gc_resize);
}
