/* SPDX-License-Identifier: MIT */
/**
 * \file report/samples.h
 * \brief Prints sampled items, and the tree of their call stacks as text and as JSON.
 */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include "common/json.h"
#include "report/report.h"

/** "managed", "native", "runtime", "truncated" or "collapsed". */
const char *report_sample_kind(const log_report *report, const sample_item *item);

/** The name of an item, NULL if unknown; valid until the next call. */
const char *report_sample_item_name(const log_report *report, const sample_item *item);

/** The file of the module of native code; NULL if unknown, and for all other kinds. */
const char *report_sample_module(const log_report *report, const sample_item *item);

/** Prints the name of an item, and the module of a native function. */
void report_sample_name(const log_report *report, const sample_item *item);

/** Prints the JSON fields of that. */
void report_sample_fields(const log_report *report, json_writer *json, const sample_item *item);

void report_samples_text(const log_report *report);
void report_samples_json(const log_report *report, json_writer *json);
void report_sample_tree_text(const log_report *report);
void report_sample_tree_json(const log_report *report, json_writer *json);

#endif
