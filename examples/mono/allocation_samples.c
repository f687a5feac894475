/* SPDX-License-Identifier: MIT */
/* Draws the distances in bytes between allocations that are recorded with their call stack. */
#include "allocation_samples.h"

#include "shared/random.h"

#include <math.h>

/*
 * Bytes to the next point, at least 1: an object of n bytes is then chosen with the probability 1 - exp(-n /
 * interval).
 */
static uint64_t draw_distance(thread_state *state)
{
	double uniform = (double)((random_next(&state->sample_random) >> 11) + 1) / (double)(UINT64_C(1) << 53);

	return (uint64_t)(-log(uniform) * (double)state->sample_interval) + 1;
}

/* Seeds the generator differently in each thread and each run, so that their errors are independent. */
static void seed(MonoProfiler *profiler, thread_state *state)
{
	state->sample_random = mprof_recorder_read_counter(profiler->recorder) ^ state->id << 32;
}

int allocation_samples_choose_next(MonoProfiler *profiler, thread_state *state, uint64_t interval, uint64_t size)
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
