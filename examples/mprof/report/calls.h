/* SPDX-License-Identifier: MIT */
/**
 * \file report/calls.h
 * \brief The call tree, and the slowest calls.
 */
#ifndef REPORT_CALLS_H
#define REPORT_CALLS_H

#include "report/view.h"

void report_call_tree_text(const log_report *report);
void report_call_tree_json(log_report *report, json_writer *json);
void report_slow_calls_text(const log_report *report);
void report_slow_calls_json(log_report *report, json_writer *json);

#endif
