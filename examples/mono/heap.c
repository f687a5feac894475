/* SPDX-License-Identifier: MIT */
/*
 * Walks the heap after a full collection, while the world is still stopped.
 *
 * At that time it is known which objects are dead, and each object has one address. The runtime reports roots earlier,
 * during the collection, when it may be unknown whether this is a full one: the runtime reports the end of a concurrent
 * collection only when it has come. So roots are kept until the walk.
 *
 * One thread at a time reports steps, and it holds the collector's lock; so the state below needs no lock of its own.
 * Memory for roots is mapped from the system; nothing else is allocated, waited for or locked.
 */
#include "heap.h"
#include "names.h"
#include "shared/hash.h"

#include <mono/metadata/appdomain.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/threads.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Alignment of objects in bytes, the same as in names_object_size(). */
#define OBJECT_ALIGNMENT 8

#define FIRST_ROOTS ((size_t)64 << 10)

/* A power of two. */
#define KNOWN_SIZES 1024

/* A root object of a collection. */
typedef struct heap_root {
	uint64_t slot;
	uint64_t object;
} heap_root;

static struct {
	heap_root *roots;
	size_t count;
	size_t room;
} kept;

/* Cache of object sizes by class, for classes whose objects have one size. */
static struct {
	const MonoClass *klass;
	uint32_t size; /* 0 if the sizes of objects differ. */
} known_sizes[KNOWN_SIZES];

static struct {
	int is_due;             /* The current collection gets a snapshot if it is a full one. */
	uint32_t collections;   /* Number of full collections so far. */
	uint64_t last_snapshot; /* Time of the last snapshot, in milliseconds. */
} state;

/* Set by a thread that requests a snapshot, cleared when the snapshot is taken. */
static _Atomic int is_requested;

/* Number of snapshots taken, requested or not: one snapshot can serve the requests of several threads. */
static _Atomic uint32_t snapshot_count;

/* Whether the runtime is ready for a requested collection. */
static _Atomic int is_open;

static uint64_t milliseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Whether the options ask for a snapshot at the next full collection. */
static int has_its_turn(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;

	switch (options->heap.when) {
	case HEAP_EVERY:
		return (state.collections + 1) % options->heap.collections == 0 &&
		       atomic_load_explicit(&profiler->heap_snapshots_left, memory_order_relaxed) != 0;
	case HEAP_AT_INTERVAL:
		return milliseconds_now() - state.last_snapshot >= options->heap.milliseconds;
	default:
		return atomic_load_explicit(&profiler->heap_snapshots_left, memory_order_relaxed) != 0;
	}
}

static void count_shot(MonoProfiler *profiler)
{
	int64_t remaining = atomic_load_explicit(&profiler->heap_snapshots_left, memory_order_relaxed);

	/* If another thread sets the count meanwhile, the exchange fails and the new count remains. */
	if (remaining > 0)
		(void)atomic_compare_exchange_strong(&profiler->heap_snapshots_left, &remaining, remaining - 1);
	state.last_snapshot = milliseconds_now();
	atomic_store(&is_requested, 0);
	atomic_fetch_add(&snapshot_count, 1);
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

/* Also called for collections of the young generation. Addresses are those after the collection. */
static void gc_roots(MonoProfiler *profiler, uint64_t count, const mono_byte *const *slots, MonoObject *const *objects)
{
	(void)profiler;
	/* If out of memory, the snapshot lacks these roots. */
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
 * The size of an object as its allocation event contains it. The size that the collector reports is that of its slot,
 * up to a quarter larger. The runtime laid out the classes of existing objects when they were allocated, so this lookup
 * takes no lock.
 */
static uint64_t size_of(MonoObject *object, MonoClass *klass)
{
	size_t index = hash_key((uintptr_t)klass) & (KNOWN_SIZES - 1);

	if (known_sizes[index].klass != klass) {
		known_sizes[index].klass = klass;
		known_sizes[index].size = names_object_size(klass);
	}
	if (known_sizes[index].size != 0)
		return known_sizes[index].size;
	return (mono_object_get_size(object) + OBJECT_ALIGNMENT - 1) & ~(uint64_t)(OBJECT_ALIGNMENT - 1);
}

static void record_object(MonoProfiler *profiler, MonoObject *object, MonoClass *klass, const uint64_t *references,
			  const uint64_t *offsets, size_t count)
{
	mprof_recorder_add_heap_object(profiler->recorder, (uint64_t)(uintptr_t)object, key_of(klass),
				       size_of(object, klass), references, offsets, count);
}

#if UINTPTR_MAX == UINT64_MAX
/* Pointers are used as addresses in place: copying them would take longer than the rest of the walk. */
static void record_references(MonoProfiler *profiler, MonoObject **references, const uintptr_t *offsets, size_t count)
{
	mprof_recorder_add_heap_references(profiler->recorder, (const uint64_t *)(const void *)references, offsets,
					   count);
}

static void record_whole_object(MonoProfiler *profiler, MonoObject *object, MonoClass *klass, MonoObject **references,
				const uintptr_t *offsets, size_t count)
{
	record_object(profiler, object, klass, (const uint64_t *)(const void *)references, offsets, count);
}
#else
static void record_references(MonoProfiler *profiler, MonoObject **references, const uintptr_t *offsets, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t address = (uint64_t)(uintptr_t)references[i];
		uint64_t offset = offsets[i];

		mprof_recorder_add_heap_references(profiler->recorder, &address, &offset, 1);
	}
}

static void record_whole_object(MonoProfiler *profiler, MonoObject *object, MonoClass *klass, MonoObject **references,
				const uintptr_t *offsets, size_t count)
{
	record_object(profiler, object, klass, NULL, NULL, 0);
	record_references(profiler, references, offsets, count);
}
#endif

/* References of large objects are reported in several calls; the size is 0 in all but the first. */
static int walk_object(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **references,
		       uintptr_t *offsets, void *data)
{
	if (size != 0)
		record_whole_object(data, object, klass, references, offsets, count);
	else
		record_references(data, references, offsets, count);
	return 0;
}

/* Variant of walk_object() without references. */
static int walk_object_alone(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count,
			     MonoObject **references, uintptr_t *offsets, void *data)
{
	(void)count;
	(void)references;
	(void)offsets;
	if (size != 0)
		record_object(data, object, klass, NULL, NULL, 0);
	return 0;
}

static void walk_heap(MonoProfiler *profiler, uint32_t use, uint32_t number)
{
	if (!mprof_recorder_begin_heap(profiler->recorder, use, number))
		return;
	/* Classes may have been freed since the last walk, and their addresses reused. */
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

/* 1 for threads that heap_join() attached to the runtime. */
static __thread int has_joined __attribute__((tls_model("initial-exec")));

void heap_join(void)
{
	mono_threads_attach_tools_thread();
	has_joined = 1;
}

const char *heap_take_shot(MonoProfiler *profiler)
{
	uint32_t before = atomic_load(&snapshot_count);

	(void)profiler;
	if (!heap_is_open())
		return "the runtime has not started yet, or is shutting down";
	if (!has_joined && mono_domain_get() == NULL)
		return "the thread is not attached to the runtime";
	atomic_store(&is_requested, 1);
	mono_gc_collect(mono_gc_max_generation());
	return atomic_load(&snapshot_count) == before ? "the collection was not a full one, or memory is exhausted"
						      : NULL;
}

void heap_begin(void)
{
	atomic_store(&is_open, 1);
}

/*
 * The runtime marks its end before it ends its sampling thread, and calls the profiler only after that. Meanwhile the
 * main thread waits for the sampling thread in a way that no collection can interrupt, and the sampling thread waits
 * for the collector's lock: a collection that begins then never ends. Mono 6.8 has no callback before that, so one case
 * is left: a thread that the system suspends between this question and the lock for as long as all that takes.
 */
int heap_is_open(void)
{
	return atomic_load(&is_open) && !mono_runtime_is_shutting_down();
}

void heap_end(void)
{
	atomic_store(&is_open, 0);
}

void heap_note_shutdown(const MonoProfiler *profiler)
{
	char text[16];

	if ((profiler->options.kinds & RECORD_HEAP) == 0)
		return;
	(void)snprintf(text, sizeof(text), "%lu", (unsigned long)atomic_load(&snapshot_count));
	(void)mprof_recorder_set_property(profiler->recorder, "snapshots_before_shutdown", text);
}

/* Moves keep object addresses unambiguous if the log contains addresses outside of heap snapshots. */
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

	atomic_store(&profiler->heap_snapshots_left, options->heap.when == HEAP_EVERY ? options->heap_snapshots : 0);
	state.last_snapshot = milliseconds_now();
	if (options->kinds & RECORD_HEAP)
		mono_profiler_set_gc_roots_callback(profiler->handle, gc_roots);
	if (wants_moves(profiler))
		mono_profiler_set_gc_moves_callback(profiler->handle, gc_moves);
}
