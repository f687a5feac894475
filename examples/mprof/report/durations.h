/* SPDX-License-Identifier: MIT */
/**
 * \file report/durations.h
 * \brief Prints the durations of the calls of each method, and the slowest calls, as text and as JSON.
 */
#ifndef REPORT_DURATIONS_H
#define REPORT_DURATIONS_H

#include "common/json.h"
#include "report/report.h"

void report_durations_text(const log_report *report);
void report_durations_json(const log_report *report, json_writer *json);
void report_slow_calls_text(const log_report *report);
void report_slow_calls_json(const log_report *report, json_writer *json);

#endif
