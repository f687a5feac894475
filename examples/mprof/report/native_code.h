/* SPDX-License-Identifier: MIT */
/**
 * \file report/native_code.h
 * \brief The sizes of the code of methods by origin, by assembly and by method.
 */
#ifndef REPORT_NATIVE_CODE_H
#define REPORT_NATIVE_CODE_H

#include "report/view.h"

/** How often code of \p origin, an #mprof_code_origin, was compiled or loaded for a method. */
uint64_t report_code_count(const log_report *report, uint32_t origin);

extern const report_view code_by_origin;
extern const report_view code_by_assembly;
extern const report_view code_by_method;
extern const report_view code_by_range;

#endif
