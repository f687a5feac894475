/* SPDX-License-Identifier: MIT */
/**
 * \file report/thread_times.h
 * \brief The times that threads were running, ready but waiting for a processor, and blocked.
 */
#ifndef REPORT_THREAD_TIMES_H
#define REPORT_THREAD_TIMES_H

#include "common/json.h"
#include "report/report.h"

/** What the log states about its threads. */
typedef struct thread_columns {
	int has_times;
	int has_switches; /**< Some thread was switched at least once. */
} thread_columns;

thread_columns report_thread_columns(const log_report *report);

/**
 * The threads as the log defines them, or in the order that was chosen. The caller frees the array; NULL after a
 * message, with \p count 0, if out of memory.
 */
mprof_thread_stats *report_collect_threads(const log_report *report, size_t *count);

/** Prints the columns of the table of threads that the log has. */
void report_thread_times_title(thread_columns columns);
void report_thread_times_text(thread_columns columns, const mprof_thread_stats *stats);

/** Prints the fields of a thread; null for those that are not known. */
void report_thread_times_json(thread_columns columns, json_writer *json, const mprof_thread_stats *stats);

/** The processor time of all threads, and the time that they waited for a processor, in nanoseconds. */
void report_thread_times_sum(const log_report *report, uint64_t *cpu, uint64_t *ready);

#endif
