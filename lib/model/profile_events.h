/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile_events.h
 * \brief Adds events to a profile. Functions that return an int return 0 if there is no memory.
 */
#ifndef MODEL_PROFILE_EVENTS_H
#define MODEL_PROFILE_EVENTS_H

#include "model/thread_table.h"

#include <mprof/profile.h>

/** Called before the events of another block of a thread. \p events are the first of them. */
void profile_events_begin(thread_record *thread, const mprof_event *events, size_t count);

/** Adds events of a thread. */
int profile_events_add(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count);

/** Tracks the native memory of a thread that does not count: it may free memory that other threads allocated. */
int profile_events_follow(mprof_profile *profile, uint64_t thread, const mprof_event *events, size_t count);

/** Adds samples of a SAMPLES block of a thread, or of a STATISTICAL block, whose thread is NULL. */
int profile_events_add_samples(mprof_profile *profile, const mprof_reader *reader, thread_record *thread,
			       const mprof_event *events, size_t count);

/** Adds events of a HEAP_DATA block, after heap_snapshots_begin_block(). */
int profile_events_add_heap(mprof_profile *profile, const mprof_event *events, size_t count);

#endif
