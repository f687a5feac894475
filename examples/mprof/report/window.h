/* SPDX-License-Identifier: MIT */
/**
 * \file report/window.h
 * \brief Prints the time window of a report.
 */
#ifndef REPORT_WINDOW_H
#define REPORT_WINDOW_H

#include "common/json.h"
#include "report/report.h"

/** Reports on standard error if the log has nothing inside the window. */
void report_window_check(const log_report *report);

/** Prints the window on a line; nothing if the report covers the whole log. */
void report_window_text(const log_report *report);

/** Prints the bounds of the window as an object, null for the whole log. */
void report_window_json(const log_report *report, json_writer *json);

#endif
