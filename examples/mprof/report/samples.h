/* SPDX-License-Identifier: MIT */
/**
 * \file report/samples.h
 * \brief Prints sampled items, and the tree of their call stacks as text and as JSON.
 */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include "common/json.h"
#include "report/report.h"

/** Prints the name of an item, and the module of a native function. */
void report_sample_name(const log_report *report, const sample_item *item);

/** Prints the JSON fields of that. */
void report_sample_fields(const log_report *report, json_writer *json, const sample_item *item);

void report_samples_text(const log_report *report);
void report_samples_json(const log_report *report, json_writer *json);
void report_sample_tree_text(const log_report *report);
void report_sample_tree_json(const log_report *report, json_writer *json);

#endif
