/* SPDX-License-Identifier: MIT */
/**
 * \file report/thread_times.h
 * \brief The times that threads were running, ready but waiting for a processor, and blocked.
 */
#ifndef REPORT_THREAD_TIMES_H
#define REPORT_THREAD_TIMES_H

#include "common/json.h"
#include "report/report.h"

/** Whether the log has the times of any thread. */
int report_has_thread_times(const log_report *report);

/** Print the titles of the columns, and the values of a thread in them. */
void report_thread_times_title(void);
void report_thread_times_text(const mprof_thread_stats *stats);

/** Prints the times of a thread as JSON fields in nanoseconds, null if they are unknown. */
void report_thread_times_json(json_writer *json, const mprof_thread_stats *stats);

/** The processor time of all threads, and the time that they waited for a processor, in nanoseconds. */
void report_thread_times_sum(const log_report *report, uint64_t *cpu, uint64_t *ready);

#endif
