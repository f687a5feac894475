/* SPDX-License-Identifier: MIT */
/**
 * \file report/findings.h
 * \brief The first screen of a report: what stands out, the two tables that matter most for the log, and the names of
 * further sections.
 */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "common/json.h"
#include "report/report.h"

/** Rows of a table on the first screen, those of a table with call stacks, and frames of a call stack. */
enum { FIRST_SCREEN_ROWS = 8, FIRST_SCREEN_SITES = 3, FIRST_SCREEN_FRAMES = 3 };

/** Whether the first screen is all that is to be printed: nothing was chosen. */
int report_is_first_screen(const log_report *report);

/** Whether the first screen has a section. */
int report_first_screen_has(const log_report *report, report_section section);

void report_findings_text(const log_report *report);
void report_findings_json(log_report *report, json_writer *json);

/** Prints the sections that have contents and are not on the first screen. */
void report_further_sections(const log_report *report);

#endif
