/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile_internal.h
 * \brief The parts of a profile.
 */
#ifndef MODEL_PROFILE_INTERNAL_H
#define MODEL_PROFILE_INTERNAL_H

#include "model/call_stack.h"
#include "model/collections.h"
#include "model/elements.h"
#include "model/facts.h"
#include "model/finalizers.h"
#include "model/handles.h"
#include "model/heap_shots.h"
#include "model/heap_summaries.h"
#include "model/marks.h"
#include "model/memory.h"
#include "base/memory_budget.h"
#include "model/metrics.h"
#include "model/monitors.h"
#include "model/record_table.h"
#include "model/samples.h"
#include "model/site_table.h"
#include "model/thread_table.h"

#include <mprof/profile.h>

/** Events fetched at a time, and records. */
#define PROFILE_BATCH 1024
#define PROFILE_RECORD_BATCH 128

/** How counters become times; set by mprof_profile_finish(). */
typedef struct time_conversion {
	uint64_t origin;                /**< Counter at the begin of the session. */
	double nanoseconds_per_counter; /**< 1 while it is not known. */
} time_conversion;

struct mprof_profile {
	memory_budget budget;
	record_table methods;
	record_table classes;
	thread_table threads;
	call_model calls;
	collection_list collections;
	element_list elements;
	fact_list facts;
	sample_model samples;
	site_table allocations; /**< Of which a place is known. Value: bytes. Detail: the method. Other: an
	                          mprof_event_flag. */
	heap_shot_list heap_shots;
	heap_summary_list heap_summaries;
	handle_list handles;
	monitor_list monitors;
	finalizer_list finalizers;
	metric_list metrics;
	memory_model memory;
	mark_list marks;
	profile_window window;
	time_conversion conversion;
	mprof_status interrupted_fault; /**< The first fault that mprof_profile_read() met before it was interrupted. */
	int is_out_of_memory;           /**< Memory was refused while a block was added: no more are. */
	int is_limited;                 /**< The limit of memory was met by mprof_profile_finish(). */
	int has_raw_counters;           /**< The conversion stays as it is. */
	int has_compilations;           /**< Compilations are frames. */
	int has_call_sites;             /**< Where no call chain is known, the node of the call tree is the place. */
	mprof_profile_totals totals;    /**< jit_ns is in counters; what other parts sum up is filled in when asked. */
	mprof_event batch[PROFILE_BATCH];
	mprof_record record_batch[PROFILE_RECORD_BATCH];
};

/** After a refusal of memory: whether the limit is the reason, so that what needed it is left out, and counted so. */
int profile_is_tolerable(mprof_profile *profile);

/** What is to be done when the events of another block of a thread follow. \p events are its first ones. */
void profile_begin_events(thread_record *thread, const mprof_event *events, size_t count);

/** Adds events of a thread to the parts that they concern. Returns 0 if there is no memory. */
int profile_add_events(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count);

/** Follows what a thread that does not count frees of what others allocated. As above. */
int profile_follow_events(mprof_profile *profile, uint64_t thread, const mprof_event *events, size_t count);

/** Adds samples of a SAMPLES block of a thread, or of a STATISTICAL block, whose thread is NULL. As above. */
int profile_add_samples(mprof_profile *profile, const mprof_reader *reader, thread_record *thread,
			const mprof_event *events, size_t count);

/** Adds events of a HEAP_DATA block, which heap_shots_begin_block() was told of. As above. */
int profile_add_heap_events(mprof_profile *profile, const mprof_event *events, size_t count);

/** Counters as nanoseconds. */
uint64_t profile_nanoseconds(const mprof_profile *profile, uint64_t counters);

/** A counter as nanoseconds since the session began. */
int64_t profile_moment(const mprof_profile *profile, uint64_t counter);

#endif
