/* SPDX-License-Identifier: MIT */
/**
 * \file report/timeline.h
 * \brief What happened when: pauses, and what each thread did in slices of time.
 */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include "common/json.h"
#include "report/report.h"

void report_pauses_text(const log_report *report);
void report_pauses_json(log_report *report, json_writer *json);
void report_timeline_text(const log_report *report);
void report_timeline_json(log_report *report, json_writer *json);

#endif
