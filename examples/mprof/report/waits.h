/* SPDX-License-Identifier: MIT */
/**
 * \file report/waits.h
 * \brief Prints contention of monitors, and finalizers as text and as JSON.
 */
#ifndef REPORT_WAITS_H
#define REPORT_WAITS_H

#include "common/json.h"
#include "report/report.h"

void report_monitors_text(const log_report *report);
void report_monitors_json(log_report *report, json_writer *json);
void report_finalizers_text(const log_report *report);
void report_finalizers_json(const log_report *report, json_writer *json);

#endif
