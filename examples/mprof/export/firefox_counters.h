/* SPDX-License-Identifier: MIT */
/**
 * \file export/firefox_counters.h
 * \brief The counters of a profile of Firefox, which are kept until they are written. Their values are differences to
 * the previous ones.
 */
#ifndef EXPORT_FIREFOX_COUNTERS_H
#define EXPORT_FIREFOX_COUNTERS_H

#include "common/json.h"
#include "export/text_stream.h"

/** Instead of the ID of a metric: the size of the heap. */
#define FIREFOX_HEAP_SIZE UINT64_MAX

typedef struct firefox_counter firefox_counter;

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
