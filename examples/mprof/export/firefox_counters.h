/* SPDX-License-Identifier: MIT */
/**
 * \file export/firefox_counters.h
 * \brief Amounts of memory over time, which the Firefox Profiler draws as graphs.
 */
#ifndef FIREFOX_COUNTERS_H
#define FIREFOX_COUNTERS_H

#include "common/json.h"
#include "export/plain_text.h"
#include "export/spool.h"

/** Instead of the ID of a metric: the size of the heap. */
#define FIREFOX_HEAP_SIZE UINT64_MAX

/** A counter. */
typedef struct firefox_counter {
	uint64_t id;
	char *name;
	spool_stream values;
	uint64_t count;
	uint64_t time; /**< Of the latest value. */
	uint64_t value;
	struct firefox_counter *next;
} firefox_counter;

/** Initialized with 0. */
typedef struct firefox_counters {
	firefox_counter *first;
	spool spool;
	int has_failed; /**< Out of memory. */
} firefox_counters;

/** Adds the value of a counter at a time in nanoseconds. */
void firefox_counters_add(firefox_counters *counters, uint64_t id, const char *name, uint64_t time, uint64_t value);

/** Writes all counters. */
void firefox_counters_write(firefox_counters *counters, json_writer *json, plain_buffer *plain, const char *pid);

void firefox_counters_release(firefox_counters *counters);

#endif
