/* SPDX-License-Identifier: MIT */
/**
 * \file report/allocations.h
 * \brief Prints the call sites of allocations as text and as JSON.
 */
#ifndef REPORT_ALLOCATIONS_H
#define REPORT_ALLOCATIONS_H

#include "common/json.h"
#include "report/report.h"

void report_allocation_stacks_text(const log_report *report);
void report_allocation_stacks_json(log_report *report, json_writer *json);

#endif
