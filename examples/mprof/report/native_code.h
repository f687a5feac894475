/* SPDX-License-Identifier: MIT */
/**
 * \file report/native_code.h
 * \brief Prints the sizes of the code of methods by origin, by assembly and by method, as text and as JSON.
 */
#ifndef REPORT_NATIVE_CODE_H
#define REPORT_NATIVE_CODE_H

#include "common/json.h"
#include "report/report.h"

#include <stdint.h>

/** How often code of \p origin, an #mprof_code_origin, was compiled or loaded for a method. */
uint64_t report_code_count(const log_report *report, uint32_t origin);

void report_code_text(const log_report *report);
void report_code_json(log_report *report, json_writer *json);

#endif
