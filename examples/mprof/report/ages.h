/* SPDX-License-Identifier: MIT */
/**
 * \file report/ages.h
 * \brief What lives how long: objects by class and by call stack, what died young, and what was alive at a time; of the
 * managed heap and of native memory.
 */
#ifndef REPORT_AGES_H
#define REPORT_AGES_H

#include "common/json.h"
#include "report/report.h"

/** Whether one of the tables of ages is printed. */
int report_wants_ages(const log_report *report);

void report_types_text(const log_report *report);
void report_types_json(log_report *report, json_writer *json);
void report_backtraces_text(const log_report *report);
void report_backtraces_json(log_report *report, json_writer *json);
void report_temporaries_text(const log_report *report);
void report_temporaries_json(log_report *report, json_writer *json);
void report_alive_text(const log_report *report);
void report_alive_json(log_report *report, json_writer *json);

#endif
