/* SPDX-License-Identifier: MIT */
/**
 * \file report/memory.h
 * \brief Prints native memory as text and as JSON.
 */
#ifndef REPORT_MEMORY_H
#define REPORT_MEMORY_H

#include "common/json.h"
#include "report/report.h"

void report_memory_text(const log_report *report);
void report_memory_json(log_report *report, json_writer *json);

#endif
