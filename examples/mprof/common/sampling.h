/* SPDX-License-Identifier: MIT */
/**
 * \file common/sampling.h
 * \brief How samples were taken, from the session metadata of a log: the requested rate, the achieved one, the source.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "common/json.h"

#include <stdint.h>
#include <stdio.h>

/** Size of the texts below, in bytes. */
#define SAMPLING_TEXT 32

/** Numbers that the log does not contain are 0, and texts are empty. */
typedef struct sampling_facts {
	uint64_t requested_hz; /**< Samples per second of the clock that were requested for each thread. */
	uint64_t time_ns;      /**< Time of all sampled threads together, by the clock. */
	uint64_t hits;         /**< Samples taken in this time. */
	uint64_t discarded;    /**< Hits of threads that had not run or were in the profiler. */
	uint64_t tick_hz;      /**< Frequency of the kernel's tick. */
	int is_filtered;       /**< The filters may have left samples out. */
	int is_measured;       /**< The log contains time_ns, hits and discarded. */
	char clock[SAMPLING_TEXT];
	char source[SAMPLING_TEXT];
} sampling_facts;

/** Stores a property of a SESSION block; properties that do not concern samples are ignored. */
void sampling_take(sampling_facts *facts, const char *key, const char *value);

/** Whether the time of samples can be estimated. */
int sampling_has_time(const sampling_facts *facts);

/** The time that a number of samples represents, in nanoseconds; 0 if it cannot be estimated. */
uint64_t sampling_time_of(const sampling_facts *facts, uint64_t hits);

/** Prints the object "sampling", null if the log does not contain the rate. */
void sampling_print_json(const sampling_facts *facts, json_writer *json);

/** Prints lines that begin with the label "sampling"; nothing if the log does not contain the rate. */
void sampling_print_text(const sampling_facts *facts, FILE *file);

/** Prints the rates as one indented line, for a table of samples; nothing if they are unknown. */
void sampling_print_rate(const sampling_facts *facts, FILE *file);

#endif
