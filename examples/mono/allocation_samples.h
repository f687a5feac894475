/* SPDX-License-Identifier: MIT */
/**
 * \file allocation_samples.h
 * \brief Chooses the allocations that are recorded with their call stack.
 *
 * They are chosen by bytes, with exponential distances: the bytes that a thread allocates are a line on which points
 * lie at random, one per interval on average, and an object is chosen if at least one point is on it. So no pattern of
 * the program can agree with that of the samples, and each object is chosen with a probability that depends on its size
 * alone, by which readers scale it (doc/format.md, 3.8).
 */
#ifndef ALLOCATION_SAMPLES_H
#define ALLOCATION_SAMPLES_H

#include "threads.h"

/** The slow path of allocation_samples_choose(). */
int allocation_samples_choose_next(MonoProfiler *profiler, thread_state *state, uint64_t size);

/** Returns whether the object that the thread has just allocated is chosen. */
static inline int allocation_samples_choose(MonoProfiler *profiler, thread_state *state, uint64_t size)
{
	if (__builtin_expect(state->bytes_to_sample <= size, 0))
		return allocation_samples_choose_next(profiler, state, size);
	state->bytes_to_sample -= size;
	return 0;
}

#endif
