/* SPDX-License-Identifier: MIT */
/**
 * \file export/live_counters.h
 * \brief Counters of what is alive, for formats with single events: bytes and objects of heap snapshots, bytes in use
 * of generations after collections, and bytes and blocks of native memory.
 *
 * Allocations and frees of native memory are in no order of time, so they are kept until all have been read, up to a
 * limit.
 */
#ifndef EXPORT_LIVE_COUNTERS_H
#define EXPORT_LIVE_COUNTERS_H

#include "export/intern.h"
#include "export/walk_state.h"

/** A counter. Texts are borrowed during the call. */
typedef struct live_counter {
	const char *name;
	const char *key;        /**< The name for programs, without the generation. */
	const char *generation; /**< NULL if it is not that of a generation. */
	uint64_t number;        /**< Distinguishes the counters of the log, from 0. */
	uint64_t process;       /**< The process whose memory it is; 0 if the log does not state it. */
	int is_bytes;           /**< Else a number of things. */
	int is_estimate;        /**< The name states this as well. */
} live_counter;

/** Receives a value at a time in nanoseconds from the start of the log; those of a counter follow each other. */
typedef void (*live_visit)(void *user, const live_counter *counter, uint64_t time, uint64_t value);

/** Initialized with 0. */
typedef struct live_counters {
	struct memory_action *actions; /**< Of native memory. */
	size_t count;
	size_t capacity;
	uint64_t left_out; /**< Actions above the limit. */
	intern_table numbers;
	int has_failed; /**< Out of memory. */
} live_counters;

/** Keeps an event of native memory. \p process: the one of its thread. Other events are ignored. */
void live_counters_add(live_counters *live, const event_walk *walk, uint64_t process, uint64_t thread,
		       const mprof_event *event);

/** Visits the values inside the time window of the walk, and prints on standard error what is missing. */
void live_counters_visit(live_counters *live, const event_walk *walk, const log_report *report, live_visit visit,
			 void *user);

void live_counters_release(live_counters *live);

#endif
