/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/profile_events.h
 * \brief Adds events to a profile, or leaves them out. Functions that return an int return 0 if there is no memory.
 */
#ifndef MODEL_PROFILE_PROFILE_EVENTS_H
#define MODEL_PROFILE_PROFILE_EVENTS_H

#include <mprof/profile.h>

#include "model/records/thread_table.h"

/*
 * After a refusal of memory: data that exceeds max_memory is left out and reported, whereas a refusal of the allocator
 * is an error. Each of these three returns 1 if max_memory was the cause, and 0 if it was the allocator.
 */

/** Counts an event, a record or a block that is left out. */
int profile_limit_skip_data(mprof_profile *profile);

/** Marks the results as incomplete. */
int profile_limit_skip_result(mprof_profile *profile);

/** Counts a part of the timeline that is left out. */
int profile_limit_skip_slice(mprof_profile *profile);

/** Called before the events of another block of a thread. \p events are the first of them. */
void profile_events_begin(thread_record *thread, const mprof_event *events, size_t count);

/** Adds events of a thread. */
int profile_events_add(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count);

/** The state before events that are added together. */
typedef struct profile_run {
	uint64_t time; /**< The time of the thread. */
	uint64_t idle; /**< The time in no method, of all threads. */
} profile_run;

/** Called before and after events of a thread are added one by one or in the fast path. */
profile_run profile_events_begin_run(mprof_profile *profile, const thread_record *thread);
int profile_events_end_run(mprof_profile *profile, thread_record *thread, const profile_run *run);

/** Adds an event of any kind, and counts it by kind. \p has_failed: there was no memory for it in the fast path. */
int profile_events_add_slow(mprof_profile *profile, thread_record *thread, const mprof_event *event, int has_failed);

/** Adds an event where some or all events are outside the window. */
int profile_events_add_windowed(mprof_profile *profile, thread_record *thread, const mprof_event *event);

/**
 * Counts an allocation in the node \p top at its call site. One that has none is counted by class alone, by the caller.
 * Inlined, this would make the loops slower for all other allocations.
 */
int profile_events_add_site(mprof_profile *profile, uint32_t top, const mprof_event *event) __attribute__((noinline));

/** Tracks the native memory of a thread that does not count: it may free memory that other threads allocated. */
int profile_events_follow(mprof_profile *profile, uint64_t thread, const mprof_event *events, size_t count);

/** Adds samples of a SAMPLES block of a thread, or of a STATISTICAL block, whose thread is NULL. */
int profile_events_add_samples(mprof_profile *profile, const mprof_reader *reader, thread_record *thread,
			       const mprof_event *events, size_t count);

/** Adds events of a TYPED block of a thread. */
int profile_events_add_typed(mprof_profile *profile, uint64_t thread, const mprof_event *events, size_t count);

/** Adds events of a HEAP_DATA block, after heap_snapshots_begin_block(). */
int profile_events_add_heap(mprof_profile *profile, const mprof_event *events, size_t count);

#endif
