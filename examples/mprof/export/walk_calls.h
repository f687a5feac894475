/* SPDX-License-Identifier: MIT */
/**
 * \file export/walk_calls.h
 * \brief Follows the calls of threads for event_walk.
 */
#ifndef WALK_CALLS_H
#define WALK_CALLS_H

#include "export/walk_types.h"

/** Calls on deeper stacks are left out, as in the profile. */
#define WALK_MAX_DEPTH 65536

/** Converts a counter to nanoseconds from the start of the log; times before the start are 0. */
static inline uint64_t walk_time(const event_walk *walk, uint64_t counter)
{
	uint64_t since = counter - walk->origin;

	if ((int64_t)since <= 0)
		return 0;
	/* A double has 53 bits: without a conversion the counters stay exact. */
	return walk->nanoseconds_per_count == 1 ? since : (uint64_t)((double)since * walk->nanoseconds_per_count + 0.5);
}

/** Begins a row of a thread at a counter; calls that are open continue in it. */
void walk_begin_row(event_walk *walk, walk_thread *thread, uint64_t counter);

/** Adds an event of a thread that has a row. */
void walk_add_event(event_walk *walk, walk_thread *thread, const mprof_event *event);

/** Ends the calls that are open: they last until the end of the log, or of the thread. */
void walk_finish_thread(event_walk *walk, walk_thread *thread);

/** Frees the stacks that are not a thread's own. */
void walk_release_stacks(event_walk *walk);

#endif
