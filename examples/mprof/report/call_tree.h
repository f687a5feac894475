/* SPDX-License-Identifier: MIT */
/**
 * \file report/call_tree.h
 * \brief Prints the call tree as text and as JSON.
 */
#ifndef REPORT_CALL_TREE_H
#define REPORT_CALL_TREE_H

#include "common/json.h"
#include "report/report.h"

void report_call_tree_text(const log_report *report);
void report_call_tree_json(const log_report *report, json_writer *json);

#endif
