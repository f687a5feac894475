/* SPDX-License-Identifier: MIT */
/**
 * \file report/metrics.h
 * \brief Prints metrics of the runtime, and markers as text and as JSON.
 */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "common/json.h"
#include "report/report.h"

void report_metrics_text(const log_report *report);
void report_metrics_json(const log_report *report, json_writer *json);
void report_marks_text(const log_report *report);
void report_marks_json(const log_report *report, json_writer *json);

#endif
