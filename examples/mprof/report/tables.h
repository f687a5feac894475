/* SPDX-License-Identifier: MIT */
/**
 * \file report/tables.h
 * \brief The tables whose rows are those of a table of the profile: what a report shows of them.
 */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/view.h"

/** The processor time of all threads, and the time that they waited for a processor, in nanoseconds. */
void tables_sum_thread_times(const log_report *report, uint64_t *cpu, uint64_t *ready);

/** Prints the handles with the call sites that created them. */
void tables_handles_text(const log_report *report);
void tables_handles_json(log_report *report, json_writer *json);

#endif
