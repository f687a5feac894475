/* SPDX-License-Identifier: MIT */
/**
 * \file report/samples.h
 * \brief Samples: by item, by line of native code, by kind of wait, by kind of sample, and as the tree of their call
 * stacks; and which modules have no debug information.
 */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include "report/view.h"

/** "managed", "native", "runtime", "truncated" or "collapsed". */
const char *report_sample_kind(const log_report *report, const sample_item *item);

/** The name of an item, NULL if unknown; valid until the next call. */
const char *report_sample_item_name(const log_report *report, const sample_item *item);

/** The file of the module of native code; NULL if unknown, and for all other kinds. */
const char *report_sample_module(const log_report *report, const sample_item *item);

#endif
