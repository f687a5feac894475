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
	uint64_t period_ns;    /**< Time that a sample of the present rate stands for. */
	uint64_t unit_ns;      /**< Time that a counted sample stands for, see sampling_set_unit(). */
	uint64_t hit_ns;       /**< The time that all samples stand for, each one its period. */
	uint64_t short_ns;     /**< Time of threads that ended before they could be interrupted. */
	uint64_t blocked_ns;   /**< Time of threads without a sample that block the signal. */
	int is_filtered;       /**< The filters may have left samples out. */
	int is_measured;       /**< The log contains time_ns, hits and discarded. */
	char clock[SAMPLING_TEXT];
	char source[SAMPLING_TEXT];
	char scope[SAMPLING_TEXT]; /**< "user" if the system allows no samples of time in the kernel. */
} sampling_facts;

/** Stores a property of a SESSION block; properties that do not concern samples are ignored. */
void sampling_take(sampling_facts *facts, const char *key, const char *value);

/**
 * Sets the time that a counted sample stands for, mprof_profile_totals::sample_period_ns. Without a profile, it is that
 * of the present rate.
 */
void sampling_set_unit(sampling_facts *facts, uint64_t unit_ns);

/** Whether the time of samples can be estimated. */
int sampling_has_time(const sampling_facts *facts);

/** The time that a number of samples represents, in nanoseconds; 0 if it cannot be estimated. */
uint64_t sampling_time_of(const sampling_facts *facts, uint64_t hits);

/** Prints the object "sampling", null if the log does not contain the rate. */
void sampling_print_json(const sampling_facts *facts, json_writer *json);

/** Prints lines that begin with the label "sampling"; nothing if the log does not contain the rate. */
void sampling_print_text(const sampling_facts *facts, FILE *file);

/**
 * Prints rows for processor time that no sample stands for, below a table of samples of the whole log whose columns for
 * times begin after \p indent characters.
 */
void sampling_print_rest(const sampling_facts *facts, int indent, FILE *file);

/** Prints why the log of a native program, \p subject, has no samples, as the rest of a line. */
void sampling_explain_none(const sampling_facts *facts, const char *subject, FILE *file);

/** Prints the rates as one indented line, for a table of samples; nothing if they are unknown. */
void sampling_print_rate(const sampling_facts *facts, FILE *file);

#endif
