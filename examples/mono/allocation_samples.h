/* SPDX-License-Identifier: MIT */
/**
 * \file allocation_samples.h
 * \brief Chooses the allocations that are recorded with their call stack.
 *
 * They are chosen by bytes, with exponentially distributed distances: the bytes that a thread allocates are a line with
 * random points, one per interval on average, and an object is chosen if at least one point is on it. Samples therefore
 * cannot be in step with a pattern of the program, and the probability that an object is chosen depends on its size
 * alone, so that readers can scale the sample to all objects (doc/format.md, 3.8).
 */
#ifndef ALLOCATION_SAMPLES_H
#define ALLOCATION_SAMPLES_H

#include "threads.h"

/** The slow path of allocation_samples_choose(). */
int allocation_samples_choose_next(MonoProfiler *profiler, thread_state *state, uint64_t interval, uint64_t size);

/**
 * Returns 1 if the object of \p size bytes that the thread has just allocated is chosen. Called by that thread, which
 * owns \p state.
 */
static inline int allocation_samples_choose(MonoProfiler *profiler, thread_state *state, uint64_t size)
{
	const uint64_t interval = atomic_load_explicit(&profiler->allocation_interval, memory_order_relaxed);

	if (__builtin_expect(state->bytes_to_sample <= size || state->sample_interval != interval, 0))
		return allocation_samples_choose_next(profiler, state, interval, size);
	state->bytes_to_sample -= size;
	return 0;
}

#endif
