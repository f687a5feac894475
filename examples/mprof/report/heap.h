/* SPDX-License-Identifier: MIT */
/**
 * \file report/heap.h
 * \brief Prints heap snapshots, freed objects and heap summaries as text and as JSON.
 */
#ifndef REPORT_HEAP_H
#define REPORT_HEAP_H

#include "common/json.h"
#include "report/report.h"

void report_heap_shots_text(const log_report *report);
void report_freed_text(const log_report *report);
void report_heap_shots_json(log_report *report, json_writer *json);
void report_heap_summaries_text(const log_report *report);
void report_heap_summaries_json(log_report *report, json_writer *json);

#endif
