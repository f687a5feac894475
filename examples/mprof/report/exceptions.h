/* SPDX-License-Identifier: MIT */
/**
 * \file report/exceptions.h
 * \brief Prints thrown exceptions by class and by call stack, as text and as JSON.
 */
#ifndef REPORT_EXCEPTIONS_H
#define REPORT_EXCEPTIONS_H

#include "common/json.h"
#include "report/report.h"

void report_exceptions_text(const log_report *report);
void report_exceptions_json(log_report *report, json_writer *json);

#endif
