/* SPDX-License-Identifier: MIT */
/**
 * \file heap.c
 * \brief Walks the heap where a full collection has ended and the world is still stopped.
 *
 * What dies is known then, and each object has one address. The runtime tells what it started from earlier, in the
 * course of the collection, when it is not always clear whether this will be a full one: that a collection which ran
 * beside the program ends shows only then. So roots are kept until the walk.
 *
 * Steps come from one thread at a time, which holds the collector's lock: the state below needs no other. Memory for
 * roots comes from the system; nothing else is taken, waited for or locked.
 */
#include "heap.h"
#include "names.h"

#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/threads.h>

#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* As in names_object_size(). */
#define OBJECT_ALIGNMENT 8

#define FIRST_ROOTS ((size_t)64 << 10)

/* A power of two. */
#define KNOWN_SIZES 1024

/* An object from which a collection started. */
typedef struct heap_root {
	uint64_t slot;
	uint64_t object;
} heap_root;

static struct {
	heap_root *roots;
	size_t count;
	size_t room;
} kept;

/* Sizes of the classes that the walk met last, whose objects are of one size. */
static struct {
	const MonoClass *klass;
	uint32_t size; /* 0 if they differ. */
} known_sizes[KNOWN_SIZES];

static struct {
	int is_due;           /* The collection under way is to have a shot if it is a full one. */
	uint32_t collections; /* Full ones so far. */
	uint64_t last_shot;   /* When, in milliseconds. */
} state;

/* Raised by who wants a shot, taken back with the shot. */
static _Atomic int is_requested;

/* Shots taken, also those that were not asked for: several threads may ask, and one shot serve them all. */
static _Atomic uint32_t shots_taken;

/* Whether the runtime is there to be asked for one. */
static _Atomic int is_open;

static uint64_t milliseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Whether the next full collection is one that the options mean. */
static int has_its_turn(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;

	switch (options->heap_when) {
	case HEAP_EVERY:
		return (state.collections + 1) % options->heap_collections == 0 &&
		       atomic_load_explicit(&profiler->heap_shots_left, memory_order_relaxed) != 0;
	case HEAP_AT_INTERVAL:
		return milliseconds_now() - state.last_shot >= options->heap_milliseconds;
	default:
		return atomic_load_explicit(&profiler->heap_shots_left, memory_order_relaxed) != 0;
	}
}

static void count_shot(MonoProfiler *profiler)
{
	int64_t left = atomic_load_explicit(&profiler->heap_shots_left, memory_order_relaxed);

	/* Somebody may set it at the same time, and then is right. */
	if (left > 0)
		(void)atomic_compare_exchange_strong(&profiler->heap_shots_left, &left, left - 1);
	state.last_shot = milliseconds_now();
	atomic_store(&is_requested, 0);
	atomic_fetch_add(&shots_taken, 1);
}

static int make_room(size_t count)
{
	size_t room = kept.room == 0 ? FIRST_ROOTS : kept.room;
	size_t size;
	void *roots;

	while (room - kept.count < count)
		room *= 2;
	if (room == kept.room)
		return 1;
	size = room * sizeof(*kept.roots);
	if (kept.roots == NULL)
		roots = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	else
		roots = mremap(kept.roots, kept.room * sizeof(*kept.roots), size, MREMAP_MAYMOVE);
	if (roots == MAP_FAILED)
		return 0;
	kept.roots = roots;
	kept.room = room;
	return 1;
}

/* Also for collections of the young objects alone. Addresses are those after the collection. */
static void gc_roots(MonoProfiler *profiler, uint64_t count, const mono_byte *const *slots, MonoObject *const *objects)
{
	(void)profiler;
	/* Without memory the shot lacks these roots. */
	if (!state.is_due || !make_room(count))
		return;
	for (uint64_t i = 0; i < count; i++)
		kept.roots[kept.count++] = (heap_root){(uint64_t)(uintptr_t)slots[i], (uint64_t)(uintptr_t)objects[i]};
}

static void gc_moves(MonoProfiler *profiler, MonoObject *const *objects, uint64_t count)
{
	for (uint64_t i = 0; i + 1 < count; i += 2)
		mprof_recorder_add_heap_move(profiler->recorder, (uint64_t)(uintptr_t)objects[i],
					     (uint64_t)(uintptr_t)objects[i + 1]);
}

/*
 * As its allocation tells it: the collector tells the size of the place where it is, up to a quarter more. The runtime
 * laid out the classes of objects when they were allocated, so it takes no lock to look here.
 */
static uint64_t size_of(MonoObject *object, MonoClass *klass)
{
	size_t place = (size_t)((uint64_t)(uintptr_t)klass * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (KNOWN_SIZES - 1);

	if (known_sizes[place].klass != klass) {
		known_sizes[place].klass = klass;
		known_sizes[place].size = names_object_size(klass);
	}
	if (known_sizes[place].size != 0)
		return known_sizes[place].size;
	return (mono_object_get_size(object) + OBJECT_ALIGNMENT - 1) & ~(uint64_t)(OBJECT_ALIGNMENT - 1);
}

static void take_object(MonoProfiler *profiler, MonoObject *object, MonoClass *klass, const uint64_t *references,
			size_t count)
{
	mprof_recorder_add_heap_object(profiler->recorder, (uint64_t)(uintptr_t)object, key_of(klass),
				       size_of(object, klass), references, count);
}

#if UINTPTR_MAX == UINT64_MAX
/* Pointers are addresses as they stand: copying them would take longer than all the rest. */
static void take_references(MonoProfiler *profiler, MonoObject **references, size_t count)
{
	mprof_recorder_add_heap_references(profiler->recorder, (const uint64_t *)(const void *)references, count);
}

static void take_whole(MonoProfiler *profiler, MonoObject *object, MonoClass *klass, MonoObject **references,
		       size_t count)
{
	take_object(profiler, object, klass, (const uint64_t *)(const void *)references, count);
}
#else
static void take_references(MonoProfiler *profiler, MonoObject **references, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t address = (uint64_t)(uintptr_t)references[i];

		mprof_recorder_add_heap_references(profiler->recorder, &address, 1);
	}
}

static void take_whole(MonoProfiler *profiler, MonoObject *object, MonoClass *klass, MonoObject **references,
		       size_t count)
{
	take_object(profiler, object, klass, NULL, 0);
	take_references(profiler, references, count);
}
#endif

/* References of large objects come in several calls; all but the first say that the size is 0. */
static int walk_object(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
		       uintptr_t *offsets, void *data)
{
	(void)offsets;
	if (size != 0)
		take_whole(data, object, klass, references, count);
	else
		take_references(data, references, count);
	return 0;
}

/* The same where nobody asks for references. */
static int walk_object_alone(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count,
			     MonoObject **references, uintptr_t *offsets, void *data)
{
	(void)count;
	(void)references;
	(void)offsets;
	if (size != 0)
		take_object(data, object, klass, NULL, 0);
	return 0;
}

static void walk_heap(MonoProfiler *profiler, uint32_t use, uint32_t number)
{
	if (!mprof_recorder_begin_heap(profiler->recorder, use, number))
		return;
	/* Since the last walk classes may have gone, and others come in their places. */
	memset(known_sizes, 0, sizeof(known_sizes));
	if ((use & MPROF_HEAP_USE_SHOT) == 0) {
		(void)mono_gc_walk_heap(0, walk_object_alone, profiler);
	} else {
		for (size_t i = 0; i < kept.count; i++)
			mprof_recorder_add_heap_root(profiler->recorder, MPROF_ROOT_OTHER, kept.roots[i].slot,
						     kept.roots[i].object);
		(void)mono_gc_walk_heap(0, walk_object, profiler);
		count_shot(profiler);
	}
	mprof_recorder_end_heap(profiler->recorder);
}

static void end_full_collection(MonoProfiler *profiler, uint32_t number)
{
	uint32_t use = state.is_due ? MPROF_HEAP_USE_SHOT : 0;

	use |= profiler->options.kinds & RECORD_FREED ? MPROF_HEAP_USE_FREED : 0;
	use |= profiler->options.kinds & RECORD_SUMMARIES ? MPROF_HEAP_USE_SUMMARY : 0;
	state.collections++;
	if (use != 0)
		walk_heap(profiler, use, number);
}

void heap_collection_step(MonoProfiler *profiler, MonoProfilerGCEvent step, uint32_t generation, uint32_t number)
{
	if (step == MONO_GC_EVENT_POST_STOP_WORLD) {
		kept.count = 0;
		state.is_due = (profiler->options.kinds & RECORD_HEAP) != 0 &&
			       (atomic_load(&is_requested) || has_its_turn(profiler));
	} else if (step == MONO_GC_EVENT_PRE_START_WORLD && (int)generation == mono_gc_max_generation()) {
		end_full_collection(profiler, number);
	}
}

/* 1 for threads that are not the runtime's and were made known to it. */
static __thread int has_joined __attribute__((tls_model("initial-exec")));

void heap_join(void)
{
	mono_threads_attach_tools_thread();
	has_joined = 1;
}

const char *heap_take_shot(MonoProfiler *profiler)
{
	uint32_t before = atomic_load(&shots_taken);

	(void)profiler;
	if (!atomic_load(&is_open))
		return "the runtime has not begun, or is at its end";
	if (!has_joined && mono_domain_get() == NULL)
		return "the thread is not known to the runtime";
	atomic_store(&is_requested, 1);
	mono_gc_collect(mono_gc_max_generation());
	return atomic_load(&shots_taken) == before ? "the collection was no full one, or there is no memory" : NULL;
}

void heap_begin(void)
{
	atomic_store(&is_open, 1);
}

void heap_end(void)
{
	atomic_store(&is_open, 0);
}

/* Moves tell objects apart where something else than heap shots names them, too, if the log has them. */
static int wants_moves(const MonoProfiler *profiler)
{
	uint32_t kinds = profiler->options.kinds;
	uint32_t about_objects = RECORD_HANDLES | RECORD_MONITORS | RECORD_FINALIZERS;

	if ((kinds & (RECORD_MOVES | RECORD_FREED | RECORD_SUMMARIES)) != 0)
		return 1;
	if (options_are_classic(&profiler->options))
		return 0;
	return (profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_OBJECT) != 0 ||
	       (kinds & RECORD_HEAP && kinds & about_objects);
}

void heap_install(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;

	atomic_store(&profiler->heap_shots_left, options->heap_when == HEAP_EVERY ? options->heap_shots : 0);
	state.last_shot = milliseconds_now();
	if (options->kinds & RECORD_HEAP)
		mono_profiler_set_gc_roots_callback(profiler->handle, gc_roots);
	if (wants_moves(profiler))
		mono_profiler_set_gc_moves_callback(profiler->handle, gc_moves);
}
