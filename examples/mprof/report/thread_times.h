/* SPDX-License-Identifier: MIT */
/**
 * \file report/thread_times.h
 * \brief What threads did with their time: ran, waited for a processor, or were blocked.
 */
#ifndef REPORT_THREAD_TIMES_H
#define REPORT_THREAD_TIMES_H

#include "common/json.h"
#include "report/report.h"

/** Whether the log has the times of any thread. */
int report_has_thread_times(const log_report *report);

/** The titles of the columns, and a thread's values in them. */
void report_thread_times_title(void);
void report_thread_times_text(const mprof_thread_stats *stats);

/** The same as fields, null where they are not known. */
void report_thread_times_json(json_writer *json, const mprof_thread_stats *stats);

/** The processor time of all threads, and how long they waited for a processor. */
void report_thread_times_sum(const log_report *report, uint64_t *cpu, uint64_t *ready);

#endif
