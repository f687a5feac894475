/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/descriptions.h
 * \brief The processes and the timelines that a log describes, the latest description of each, and its clocks with what
 * their pairs show (doc/format.md, 3.28 to 3.31).
 */
#ifndef MODEL_RECORDS_DESCRIPTIONS_H
#define MODEL_RECORDS_DESCRIPTIONS_H

#include <mprof/format.h>

#include "base/allocator.h"
#include "base/hash_map.h"
#include "model/records/record_table.h"

typedef struct described_clock {
	uint32_t id;
	uint32_t is_defined;
	mprof_clock_record record; /**< Its name is a copy; NULL before it is defined. */
	uint64_t pairs;
	uint64_t backward;    /**< Pairs that go back. */
	uint64_t uncertainty; /**< The greatest one, in counters. */
	uint64_t residual;    /**< In counters. */
	uint32_t has_residual;
	uint32_t in_order;              /**< Pairs since the last one that went back, with that one; at most 3. */
	mprof_clock_pair_record first;  /**< The first one of these. */
	mprof_clock_pair_record before; /**< The one before the last. */
	mprof_clock_pair_record last;
} described_clock;

typedef struct descriptions {
	mprof_allocator allocator;
	hash_map process_numbers;        /**< Indices of processes. */
	mprof_process_record *processes; /**< The texts are copies, also those of timelines. */
	hash_map thread_counts;          /**< Timelines by the number of their process. */
	size_t process_count;
	size_t process_capacity;
	hash_map threads; /**< Indices of timelines. */
	mprof_timeline_record *timelines;
	size_t timeline_count;
	size_t timeline_capacity;
	record_table clocks; /**< #described_clock. */
} descriptions;

void descriptions_init(descriptions *all, const mprof_allocator *allocator);
void descriptions_destroy(descriptions *all);

/** Adds a record of a CLOCKS, TIMELINES, PROCESSES or CLOCK_PAIRS block. Returns 0 if there is no memory. */
int descriptions_add(descriptions *all, const mprof_record *record);

/** Number of threads that belong to a process. */
uint64_t descriptions_count_threads(const descriptions *all, uint64_t process);

/** The description of a thread, or NULL. */
const mprof_timeline_record *descriptions_find_thread(const descriptions *all, uint64_t thread);

#endif
