/* SPDX-License-Identifier: MIT */
/**
 * \file report/allocations.h
 * \brief Prints the call sites of allocations as text and as JSON.
 */
#ifndef REPORT_ALLOCATIONS_H
#define REPORT_ALLOCATIONS_H

#include "common/json.h"
#include "report/report.h"

/**
 * Replaces the allocations of classes by those of the call stacks that the filters keep, and sorts the classes by ID.
 * Returns 0, without a change, if no filter leaves out call stacks or if no allocation has one.
 */
int report_allocations_filter_classes(const log_report *report, mprof_class_stats *classes, size_t count);

void report_allocation_stacks_text(const log_report *report);
void report_allocation_stacks_json(log_report *report, json_writer *json);

#endif
