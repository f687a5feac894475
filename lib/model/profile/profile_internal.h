/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/profile_internal.h
 * \brief The state of a profile.
 *
 * profile.c creates, reads and finishes a profile. profile_add.c adds blocks, profile_events.c single events, and
 * partial_profile.c what a block makes on another thread. profile_rows.c and description_rows.c return rows, which
 * table_columns.c describes.
 */
#ifndef MODEL_PROFILE_PROFILE_INTERNAL_H
#define MODEL_PROFILE_PROFILE_INTERNAL_H

#include "base/memory_budget.h"
#include "model/records/address_spaces.h"
#include "model/records/allocation_estimates.h"
#include "model/records/call_stack.h"
#include "model/records/collections.h"
#include "model/records/descriptions.h"
#include "model/records/event_types.h"
#include "model/records/heap_snapshots.h"
#include "model/records/lists.h"
#include "model/records/memory.h"
#include "model/records/reachability.h"
#include "model/records/monitors.h"
#include "model/records/object_ages.h"
#include "model/records/record_table.h"
#include "model/records/meanings.h"
#include "model/records/samples.h"
#include "model/records/thread_table.h"
#include "model/records/timeline.h"
#include "model/records/window.h"

#include <mprof/profile.h>

/** Number of events, or records, fetched in one call. */
#define PROFILE_BATCH 1024
#define PROFILE_RECORD_BATCH 128

/** Maximum numbers of a partial profile, which is of a block. A typical block has far fewer. */
enum { PARTIAL_NODES = 16384, PARTIAL_ALLOCATIONS = 8192, PARTIAL_RUNS = 512 };

/** For adding partial profiles. */
typedef struct partial_state {
	uint32_t numbers[PARTIAL_NODES]; /**< The nodes of the call tree, by those of the run that is being added. */

	/* Whether they are worth their cost. Only what is faster depends on it, not the result. */
	uint64_t used;      /**< Partial profiles that were added as a whole. */
	uint32_t useless;   /**< Partial profiles since the last one of use. */
	uint32_t remaining; /**< EVENTS blocks until they are tried again; 0: they are built. */
} partial_state;

struct mprof_profile {
	memory_budget budget;
	record_table methods;
	record_table classes;
	thread_table threads;
	call_model calls;
	collection_list collections;
	sample_model samples;
	sample_weights weights; /**< Of the samples. */
	site_table allocations; /**< Allocations with a known call site. value: bytes. key.detail: the method.
	                                     key.other: #MPROF_EVENT_FLAG_COMPILING or 0. */
	site_table exceptions;  /**< Exceptions with a known call site. */
	site_table clauses; /**< Exception clauses that ran. key.detail: the method. key.other: the event's value. */
	site_table code;    /**< Code of methods. key.detail: the method. key.other: an #mprof_code_origin. value:
	                                     bytes. more: counters spent compiling, without nested compilations. */
	allocation_estimates estimates; /**< Of allocation sites, if allocations are sampled. */
	heap_snapshot_list heap_snapshots;
	heap_summary_list heap_summaries;
	monitor_list monitors;
	finalizer_list finalizers;
	memory_model memory;
	reachability reachable;
	object_ages ages;
	profile_lists lists;
	descriptions described;
	event_types event_types;
	line_list lines;
	meanings meanings;
	sample_kinds sample_kinds;
	int has_processes;        /**< Each process has its own addresses (directive 39). */
	address_spaces addresses; /**< Of native memory. */
	address_spaces handle_spaces;
	hash_map chosen_processes; /**< By number, if any are chosen. */
	size_t chosen_count;       /**< Processes that were chosen; 0: all count. */
	mprof_reader *reading;     /**< While a block is added: the reader that it is from. */
	profile_window window;
	window_times times;
	int window_has_end;          /**< The end of the log is in the window; 1 before mprof_profile_finish(). */
	profile_window alive_window; /**< The window of native memory and ages of objects, which may end earlier. */
	timeline timeline;
	collection_list stops; /**< Collections of all threads, if there is a timeline and threads were chosen. */
	pause_list pauses;     /**< As of the last mprof_profile_finish(), if there is a timeline. */
	profile_clock clock;
	double counters_per_second;       /**< As of the last mprof_profile_finish(); 0: not known. */
	mprof_progress_function progress; /**< Of mprof_profile_finish(). */
	void *progress_user;
	mprof_status interrupted_fault; /**< The first error that mprof_profile_read() found before it was
	                                     interrupted. */
	int is_unfinished;    /**< mprof_profile_read() was interrupted after reading; the former is its result. */
	int is_out_of_memory; /**< The allocator refused while a block was added: no more blocks are added. */
	int is_limited;       /**< mprof_profile_finish() reached the memory limit. */
	int has_raw_counters; /**< Times stay counters: the conversion does not change. */
	int has_uncounted;    /**< Events of threads that do not count were read, up to the counter below. */
	uint64_t uncounted_latest;
	int ends_at_last_event;      /**< Nothing lasts longer than the latest event of its thread. */
	int has_compilations;        /**< Compilations are frames. */
	int has_call_sites;          /**< If no call stack is known, the node of the call tree is the call site. */
	mprof_profile_totals totals; /**< jit_ns is in counters; sums kept elsewhere are added by
	                                     mprof_profile_get_row(). */
	mprof_event batch[PROFILE_BATCH];
	mprof_record record_batch[PROFILE_RECORD_BATCH];
	partial_state partials;
};

/** The process whose addresses an event of a thread has; 0 if the log has only one. */
static inline uint64_t profile_process_of(const mprof_profile *profile, uint64_t thread)
{
	const mprof_timeline_record *described =
		profile->has_processes ? descriptions_find_thread(&profile->described, thread) : NULL;

	return described != NULL ? described->process : 0;
}

/** Whether a process counts. */
static inline int profile_has_process(const mprof_profile *profile, uint64_t process)
{
	return profile->chosen_count == 0 || hash_map_get(&profile->chosen_processes, process) != NULL;
}

/** Whether objects of a process are tracked: those of one process, since an address is that of its process. */
static inline int profile_tracks_objects(const mprof_profile *profile, uint64_t process)
{
	return profile->ages.is_enabled &&
	       (!profile->has_processes || (profile->chosen_count == 1 && profile_has_process(profile, process)));
}

/** The latest counter of an event that was added; \p start if that is later. */
static inline uint64_t profile_latest_counter(const mprof_profile *profile, uint64_t start)
{
	const uint64_t latest = thread_table_latest(&profile->threads, start);

	return profile->has_uncounted && (int64_t)(profile->uncounted_latest - latest) > 0 ? profile->uncounted_latest
											   : latest;
}

/** Objects allocated: in part an estimate if the log has chosen ones only. */
static inline uint64_t profile_count_allocations(const mprof_profile *profile)
{
	const uint64_t *counts = profile->totals.event_counts;

	const allocation_estimate *estimate = &profile->estimates.whole;

	return counts[MPROF_EVENT_ALLOCATION] + counts[MPROF_EVENT_ALLOCATION_AT_JIT] - estimate->samples +
	       allocation_estimate_round(estimate->objects);
}

#endif
