/* SPDX-License-Identifier: MIT */
/**
 * \file report/handles.h
 * \brief Prints GC handles as text and as JSON.
 */
#ifndef REPORT_HANDLES_H
#define REPORT_HANDLES_H

#include "common/json.h"
#include "report/report.h"

void report_handles_text(const log_report *report);
void report_handles_json(log_report *report, json_writer *json);

#endif
