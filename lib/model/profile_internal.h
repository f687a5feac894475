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
#include "model/memory_budget.h"
#include "model/record_table.h"
#include "model/thread_table.h"

#include <mprof/profile.h>

/** Events fetched at a time. */
#define PROFILE_BATCH 1024

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
	time_conversion conversion;
	mprof_profile_totals totals; /**< jit_ns is in counters; what other parts sum up is filled in when asked. */
	mprof_event batch[PROFILE_BATCH];
};

/** What is to be done when the events of another block of a thread follow. \p events are its first ones. */
void profile_begin_events(thread_record *thread, const mprof_event *events, size_t count);

/** Adds events of a thread to the parts that they concern. Returns 0 if there is no memory. */
int profile_add_events(mprof_profile *profile, thread_record *thread, const mprof_event *events, size_t count);

/** Adds hits of a STATISTICAL block. As above. */
int profile_add_samples(mprof_profile *profile, const mprof_event *events, size_t count);

#endif
