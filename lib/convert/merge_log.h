/* SPDX-License-Identifier: MIT */
/**
 * \file convert/merge_log.h
 * \brief What is known of a log before it is merged: its process, its clock, and how it was recorded.
 */
#ifndef CONVERT_MERGE_LOG_H
#define CONVERT_MERGE_LOG_H

#include "convert/converter_internal.h"

/** Properties of the session that decide how logs are merged. */
typedef enum log_property {
	LOG_PROGRAM,
	LOG_ARGUMENTS,
	LOG_PID,
	LOG_PARENT_PID,
	LOG_COUNTER,
	LOG_ALLOCATIONS, /**< From here on, logs that are merged must have the same. */
	LOG_OFFSETS,
	LOG_SAMPLE_CLOCK,
	LOG_SAMPLE_SOURCE,
	LOG_SAMPLE_SCOPE, /**< From here on, the merged log states what all logs with samples have in common. */
	LOG_SAMPLE_RATE,
	LOG_PROPERTY_COUNT
} log_property;

typedef struct merge_log {
	size_t number;       /**< In the order in which the caller added it. */
	mprof_session start; /**< The state of the log after its first blocks; the runtime is not set. */
	char *properties[LOG_PROPERTY_COUNT]; /**< NULL: not stated. */
	uint64_t system_id;                   /**< Of its process; 0: not known. */
	uint64_t parent_id;                   /**< Of the process that started it; 0: not known. */
	uint64_t process;                     /**< The number of its process in the merged log. */
	copy_resolution resolution;           /**< Converts its counters. */
	uint64_t start_counter;               /**< When it begins, in the merged log. */
	const char *clock;                    /**< How its counters are converted; NULL: they are not. */
} merge_log;

/**
 * Reads the first blocks of a log. Returns #MPROF_OK, #MPROF_ERR_MEMORY, or #MPROF_ERR_STATE if the log does not state
 * when it began. Release it with merge_log_release() in any case.
 */
mprof_status merge_log_read(merge_log *log, const mprof_allocator *allocator, mprof_reader *reader);
void merge_log_release(merge_log *log, const mprof_allocator *allocator);

/** Why a log cannot be merged with another one; NULL if it can. */
const char *merge_log_conflict(const merge_log *log, const merge_log *other);

/**
 * The key of a property that differs between the logs with samples, so that it concerns none of them as a whole; NULL
 * if they have the same.
 */
const char *merge_log_find_difference(const merge_log *logs, size_t count, log_property property);

/**
 * Determines how the counters of a log become those of the merged log, which are those of \p first. Returns 0 if that
 * is not known.
 */
int merge_log_choose_clock(merge_log *log, const merge_log *first);

/**
 * The process that started that of a log, or that executed its program: the index of its log. Returns \p count if it is
 * not among the logs, which are in the order of time.
 */
size_t merge_log_find_parent(const merge_log *logs, size_t count, size_t index);

#endif
