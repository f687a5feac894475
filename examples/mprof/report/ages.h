/* SPDX-License-Identifier: MIT */
/**
 * \file report/ages.h
 * \brief What lives how long: what each collection freed, objects by class and by call stack, what died young, and what
 * was alive at a time; of the managed heap and of native memory.
 */
#ifndef REPORT_AGES_H
#define REPORT_AGES_H

#include "report/view.h"

extern const report_view ages_history; /**< For documents. */
extern const report_view ages_types;
extern const report_view ages_backtraces;
extern const report_view ages_temporaries;
extern const report_view ages_alive; /**< For the keys of --sort. */

void report_heap_history_text(const log_report *report);
void report_age_totals_text(const log_report *report);
void report_age_totals_json(log_report *report, json_writer *json);
void report_alive_text(const log_report *report);
void report_alive_json(log_report *report, json_writer *json);

#endif
