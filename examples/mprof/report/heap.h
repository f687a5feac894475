/* SPDX-License-Identifier: MIT */
/**
 * \file report/heap.h
 * \brief Heap snapshots, and heap summaries.
 */
#ifndef REPORT_HEAP_H
#define REPORT_HEAP_H

#include "report/view.h"

extern const report_view heap_classes;   /**< For the keys of --sort. */
extern const report_view heap_summaries; /**< For documents. */

void report_heap_shots_text(const log_report *report);
void report_heap_shots_json(log_report *report, json_writer *json);
void report_heap_summaries_text(const log_report *report);

#endif
