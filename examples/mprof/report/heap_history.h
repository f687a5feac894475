/* SPDX-License-Identifier: MIT */
/**
 * \file report/heap_history.h
 * \brief The history of the managed heap, and totals of its objects with what is missing.
 */
#ifndef REPORT_HEAP_HISTORY_H
#define REPORT_HEAP_HISTORY_H

#include "common/json.h"
#include "report/report.h"

void report_heap_history_text(const log_report *report);
void report_heap_history_json(log_report *report, json_writer *json);

/** Totals of the objects of the heap, and statements of what the log does not contain. */
void report_age_totals_text(const log_report *report);
void report_age_totals_json(const log_report *report, json_writer *json);

#endif
