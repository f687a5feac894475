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

/** Number of events, or records, fetched in one call. */
#define PROFILE_BATCH 1024
#define PROFILE_RECORD_BATCH 128

/** Converts counters to times; set by mprof_profile_finish(). */
typedef struct time_conversion {
	uint64_t origin;                /**< Counter at the start of the session. */
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
	site_table allocations; /**< Allocations with a known call site. value: bytes. key.detail: the method.
	                             key.other: an mprof_event_flag. */
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
	mprof_status interrupted_fault; /**< The first error that mprof_profile_read() found before it was
	                                     interrupted. */
	int is_out_of_memory;           /**< The allocator refused while a block was added: no more blocks are added. */
	int is_limited;                 /**< mprof_profile_finish() reached the memory limit. */
	int has_raw_counters;           /**< Times stay counters: the conversion does not change. */
	int has_compilations;           /**< Compilations are frames. */
	int has_call_sites;             /**< If no call stack is known, the node of the call tree is the call site. */
	mprof_profile_totals totals;    /**< jit_ns is in counters; sums kept elsewhere are added by
	                                     mprof_profile_get_totals(). */
	mprof_event batch[PROFILE_BATCH];
	mprof_record record_batch[PROFILE_RECORD_BATCH];
};

/** After a refusal of memory: whether the limit is the reason, so that the data is left out, and counted as such. */
int profile_is_tolerable(mprof_profile *profile);

/** Call it before the events of another block of a thread. \p events are the first of them. */
void profile_begin_events(thread_record *thread, const mprof_event *events, size_t count);

/** Adds events of a thread. Returns 0 if there is no memory. */
int profile_add_events(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count);

/**
 * Tracks the frees by a thread that does not count, of memory that others allocated. Returns 0 if there is no memory.
 */
int profile_follow_events(mprof_profile *profile, uint64_t thread, const mprof_event *events, size_t count);

/**
 * Adds samples of a SAMPLES block of a thread, or of a STATISTICAL block, whose thread is NULL. Returns 0 if there is
 * no memory.
 */
int profile_add_samples(mprof_profile *profile, const mprof_reader *reader, thread_record *thread,
			const mprof_event *events, size_t count);

/** Adds events of a HEAP_DATA block, after heap_shots_begin_block(). Returns 0 if there is no memory. */
int profile_add_heap_events(mprof_profile *profile, const mprof_event *events, size_t count);

/** Converts counters to nanoseconds. */
uint64_t profile_nanoseconds(const mprof_profile *profile, uint64_t counters);

/** Converts a counter to nanoseconds since the start of the session. */
int64_t profile_session_time(const mprof_profile *profile, uint64_t counter);

#endif
