/* SPDX-License-Identifier: MIT */
/**
 * \file report/sample_lines.h
 * \brief Prints the source lines of native code that samples hit, and which modules have no lines.
 */
#ifndef REPORT_SAMPLE_LINES_H
#define REPORT_SAMPLE_LINES_H

#include "common/json.h"
#include "report/report.h"

void report_sample_lines_text(const log_report *report);
void report_sample_lines_json(const log_report *report, json_writer *json);

/**
 * Prints which modules have debug information, and why others have not: of those modules whose lines other parts of the
 * report have looked up, so it is the last part. As text, only reasons that can be removed.
 */
void report_debug_information_text(const log_report *report);
void report_debug_information_json(const log_report *report, json_writer *json);

#endif
