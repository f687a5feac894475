/* SPDX-License-Identifier: MIT */
/* Records allocations. */
#include "allocations.h"

#include <mono/metadata/object.h>

#include "names.h"
#include "selection.h"
#include "shared/hash.h"
#include "shared/random.h"
#include "stacks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Seeds the generator differently in each thread and each run, so that their errors are independent. */
static void seed(MonoProfiler *profiler, thread_state *state)
{
	state->sample_random = mprof_recorder_read_counter(profiler->recorder) ^ state->id << 32;
}

/*
 * Bytes to the next point, at least 1: an object of n bytes is then chosen with the probability 1 - exp(-n /
 * interval).
 */
static uint64_t draw_distance(thread_state *state)
{
	double uniform = (double)((random_next(&state->sample_random) >> 11) + 1) / (double)(UINT64_C(1) << 53);

	return (uint64_t)(-log(uniform) * (double)state->sample_interval) + 1;
}

/*
 * They are chosen by bytes, with exponentially distributed distances: the bytes that a thread allocates are a line with
 * random points, one per interval on average, and an object is chosen if at least one point is on it. Samples therefore
 * cannot be in step with a pattern of the program, and the probability that an object is chosen depends on its size
 * alone, so that readers can scale the sample to all objects (doc/format.md, 3.8).
 */

/* The slow path of allocation_samples_choose(). */
static int allocation_samples_choose_next(MonoProfiler *profiler, thread_state *state, uint64_t interval, uint64_t size)
{
	/* The next point does not depend on earlier ones, so another interval needs only a new distance. */
	if (state->sample_interval != interval) {
		if (state->sample_interval == 0)
			seed(profiler, state);
		state->sample_interval = interval;
		state->bytes_to_sample = draw_distance(state);
		if (state->bytes_to_sample > size) {
			state->bytes_to_sample -= size;
			return 0;
		}
	}
	/*
	 * The number of points on this object does not matter, and the next point does not depend on earlier ones. So
	 * the next distance is drawn from the end of the object.
	 */
	state->bytes_to_sample = draw_distance(state);
	return 1;
}

/*
 * Returns 1 if the object of size bytes that the thread has just allocated is chosen. Called by that thread, which
 * owns state.
 */
static inline int allocation_samples_choose(MonoProfiler *profiler, thread_state *state, uint64_t size)
{
	const uint64_t interval = atomic_load_explicit(&profiler->allocation_interval, memory_order_relaxed);

	if (__builtin_expect(state->bytes_to_sample <= size || state->sample_interval != interval, 0))
		return allocation_samples_choose_next(profiler, state, interval, size);
	state->bytes_to_sample -= size;
	return 0;
}

/* Alignment of objects in bytes, the same as in names_object_size(). */
#define OBJECT_ALIGNMENT 8

/* Out of line, so that an allocation of a known class needs no call. */
__attribute__((noinline)) static void look_up_vtable(known_vtable *known, MonoVTable *vtable, unsigned unloads)
{
	MonoClass *klass = mono_vtable_class(vtable);

	*known = (known_vtable){vtable, key_of(klass), names_object_size(klass), unloads};
}

/* Looking up a class and its object size in the runtime is slow, so each thread caches its latest results. */
static inline const known_vtable *vtable_of(MonoProfiler *profiler, thread_state *state, MonoObject *object)
{
	MonoVTable *vtable = object->vtable;
	size_t index = hash_key((uintptr_t)vtable) & (KNOWN_VTABLES - 1);
	known_vtable *known = &state->known_vtables[index];
	unsigned unloads = atomic_load_explicit(&profiler->unloads, memory_order_relaxed);

	if (__builtin_expect(known->vtable != vtable || known->unloads != unloads, 0))
		look_up_vtable(known, vtable, unloads);
	return known;
}

static inline uint64_t size_of(const known_vtable *known, MonoObject *object)
{
	if (known->size != 0)
		return known->size;
	return (mono_object_get_size(object) + OBJECT_ALIGNMENT - 1) & ~(uint64_t)(OBJECT_ALIGNMENT - 1);
}

static void gc_allocation(MonoProfiler *profiler, MonoObject *object)
{
	thread_state *state = threads_state(profiler);
	const known_vtable *known;

	if (state == NULL)
		return;
	known = vtable_of(profiler, state, object);
	mprof_thread_record_allocation(state->recording, known->class_key, size_of(known, object));
}

static void detailed_allocation(MonoProfiler *profiler, MonoObject *object)
{
	thread_state *state = threads_state(profiler);
	mprof_frame frames[MPROF_STACK_MAX];
	const known_vtable *known;
	size_t count = 0;

	if (state == NULL || !profiler_is_recording(profiler))
		return;
	if ((profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_STACK) != 0)
		count = stacks_here(profiler, state, frames, profiler->options.stack_depth);
	else if ((profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_CALLER) != 0)
		count = stacks_here(profiler, state, frames, 1);
	known = vtable_of(profiler, state, object);
	mprof_thread_record_allocation_detailed(state->recording, known->class_key, size_of(known, object),
						(uint64_t)(uintptr_t)object, frames, count);
}

/* Only a sample of the objects is recorded with call stacks. */
static void sampled_allocation(MonoProfiler *profiler, MonoObject *object)
{
	thread_state *state = threads_state(profiler);
	const known_vtable *known;
	mprof_key class_key;
	uint64_t size;

	if (state == NULL)
		return;
	known = vtable_of(profiler, state, object);
	class_key = known->class_key;
	size = size_of(known, object);
	if (!allocation_samples_choose(profiler, state, size)) {
		if ((profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_OBJECT) != 0)
			mprof_thread_record_allocation_detailed(state->recording, class_key, size,
								(uint64_t)(uintptr_t)object, NULL, 0);
		else
			mprof_thread_record_allocation(state->recording, class_key, size);
	} else if (profiler_is_recording(profiler)) {
		mprof_frame frames[MPROF_STACK_MAX];
		size_t count = stacks_here(profiler, state, frames, profiler->options.stack_depth);

		mprof_thread_record_allocation_detailed(state->recording, class_key, size, (uint64_t)(uintptr_t)object,
							frames, count);
	}
}

static void stackless_allocation(MonoProfiler *profiler, MonoObject *object)
{
	thread_state *state = threads_state(profiler);
	const known_vtable *known;

	if (state == NULL)
		return;
	known = vtable_of(profiler, state, object);
	if ((profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_OBJECT) != 0)
		mprof_thread_record_allocation_detailed(state->recording, known->class_key, size_of(known, object),
							(uint64_t)(uintptr_t)object, NULL, 0);
	else
		mprof_thread_record_allocation(state->recording, known->class_key, size_of(known, object));
}

/* What is recorded now; the control thread changes it. Relaxed: a thread may overlook the change for one more event. */
static _Atomic int present_mode = ALLOCATIONS_WITH_STACKS;

/* Returns how many of the frames of a selected allocation are recorded. */
static size_t recorded_frames(MonoProfiler *profiler, thread_state *state, uint64_t size, size_t count)
{
	if ((profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_STACK) == 0)
		return count;
	if (atomic_load_explicit(&present_mode, memory_order_relaxed) != ALLOCATIONS_WITH_STACKS)
		return 0;
	if (atomic_load_explicit(&profiler->allocation_interval, memory_order_relaxed) == 0)
		return count;
	return allocation_samples_choose(profiler, state, size) ? count : 0;
}

/*
 * With filters, the stack is walked for each allocation, since any of its methods may decide. A sample is chosen from
 * the allocations that pass.
 */
static void filtered_allocation(MonoProfiler *profiler, MonoObject *object)
{
	const int has_stack = (profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_STACK) != 0;
	thread_state *state = threads_state(profiler);
	mprof_frame frames[MPROF_STACK_MAX];
	const known_vtable *known;
	uint64_t size;
	size_t count;

	if (state == NULL || !profiler_is_recording(profiler) ||
	    !stacks_here_selected(profiler, state, frames, has_stack ? profiler->options.stack_depth : 1, &count))
		return;
	known = vtable_of(profiler, state, object);
	size = size_of(known, object);
	if (profiler->allocation_detail == 0)
		mprof_thread_record_allocation(state->recording, known->class_key, size);
	else
		mprof_thread_record_allocation_detailed(state->recording, known->class_key, size,
							(uint64_t)(uintptr_t)object, frames,
							recorded_frames(profiler, state, size, count));
}

static MonoProfilerGCAllocationCallback callback_for(MonoProfiler *profiler)
{
	const int mode = atomic_load_explicit(&present_mode, memory_order_relaxed);

	if (mode == ALLOCATIONS_OFF)
		return NULL;
	if (selection_is_filtered())
		return filtered_allocation;
	if (mode == ALLOCATIONS_PLAIN && (profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_STACK) != 0)
		return stackless_allocation;
	if ((profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_STACK) != 0 &&
	    atomic_load_explicit(&profiler->allocation_interval, memory_order_relaxed) != 0)
		return sampled_allocation;
	return profiler->allocation_detail != 0 ? detailed_allocation : gc_allocation;
}

void allocations_install(MonoProfiler *profiler)
{
	atomic_store_explicit(&profiler->allocation_interval, profiler->options.allocation.interval,
			      memory_order_relaxed);
	if ((profiler->options.kinds & RECORD_ALLOCATIONS) != 0 && mono_profiler_enable_allocations())
		mono_profiler_set_gc_allocation_callback(profiler->handle, callback_for(profiler));
}

/*
 * Readers scale the allocations that follow the new interval in the log, so those before it are written first.
 * Recording is disabled meanwhile; a thread that chose an allocation before that may still record it afterwards.
 */
static void change_interval(MonoProfiler *profiler, uint64_t interval)
{
	int was_enabled = mprof_recorder_is_enabled(profiler->recorder);
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, interval);
	(void)mprof_recorder_set_enabled(profiler->recorder, 0);
	(void)mprof_recorder_drain(profiler->recorder);
	(void)mprof_recorder_set_property(profiler->recorder, "alloc_sample_bytes", text);
	atomic_store_explicit(&profiler->allocation_interval, interval, memory_order_relaxed);
	if (was_enabled)
		(void)mprof_recorder_set_enabled(profiler->recorder, 1);
}

/* Returns the reason why the stacks of allocations cannot be recorded, or NULL. */
static const char *refuse_stacks(const MonoProfiler *profiler, uint64_t interval)
{
	if ((profiler->allocation_detail & MPROF_ALLOCATION_DETAIL_STACK) == 0)
		return "the log has no call stacks of allocations: start the program with alloc=stack";
	if (interval != 0 && options_are_classic(&profiler->options))
		return "an interval of call stacks needs the format mprof2";
	if (interval != 0 && profiler->options.allocation.has_callers)
		return "the program was started with alloc=caller, which excludes an interval of call stacks";
	return NULL;
}

const char *allocations_set_mode(MonoProfiler *profiler, allocations_mode mode, uint64_t interval)
{
	const char *refusal = mode == ALLOCATIONS_WITH_STACKS ? refuse_stacks(profiler, interval) : NULL;

	if ((profiler->options.kinds & RECORD_ALLOCATIONS) == 0)
		return "code reports allocations only if it is compiled so: start the program with --alloc";
	if (refusal != NULL)
		return refusal;
	if (mode == ALLOCATIONS_WITH_STACKS &&
	    interval != atomic_load_explicit(&profiler->allocation_interval, memory_order_relaxed))
		change_interval(profiler, interval);
	atomic_store_explicit(&present_mode, mode, memory_order_relaxed);
	mono_profiler_set_gc_allocation_callback(profiler->handle, callback_for(profiler));
	return NULL;
}

void allocations_use_filters(MonoProfiler *profiler)
{
	if ((profiler->options.kinds & RECORD_ALLOCATIONS) != 0)
		mono_profiler_set_gc_allocation_callback(profiler->handle, callback_for(profiler));
}
