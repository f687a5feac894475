/* SPDX-License-Identifier: MIT */
/* Draws the distances between allocations that are recorded with their call stack. */
#include "allocation_samples.h"

#include "shared/hash.h"

#include <math.h>

/* The generator SplitMix64. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t mixed = *state += HASH_FACTOR;

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

/*
 * Bytes to the next point, at least 1: an object of n bytes is then chosen with the probability 1 - exp(-n /
 * interval).
 */
static uint64_t draw_distance(MonoProfiler *profiler, thread_state *state)
{
	double uniform = (double)((next_random(&state->sample_random) >> 11) + 1) / (double)(UINT64_C(1) << 53);

	return (uint64_t)(-log(uniform) * (double)profiler->options.allocation_interval) + 1;
}

/* Each thread and each run has points of its own, so that the errors of threads and of runs do not add up. */
static void seed(MonoProfiler *profiler, thread_state *state)
{
	state->sample_random = mprof_recorder_read_counter(profiler->recorder) ^ state->id << 32;
	state->bytes_to_sample = draw_distance(profiler, state);
}

int allocation_samples_choose_next(MonoProfiler *profiler, thread_state *state, uint64_t size)
{
	/* Only a thread that has allocated nothing yet: a distance is never 0. */
	if (state->bytes_to_sample == 0) {
		seed(profiler, state);
		if (state->bytes_to_sample > size) {
			state->bytes_to_sample -= size;
			return 0;
		}
	}
	/*
	 * How many points are on this object does not matter, and where the next one is does not depend on the last
	 * one, so the distance is drawn from the end of the object on.
	 */
	state->bytes_to_sample = draw_distance(profiler, state);
	return 1;
}
