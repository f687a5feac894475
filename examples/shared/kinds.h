/* SPDX-License-Identifier: MIT */
/**
 * \file common/kinds.h
 * \brief Words for the numbers that logs use for kinds of things. What is not known is "unknown".
 */
#ifndef KINDS_H
#define KINDS_H

#include <mprof/format.h>

#include <stdint.h>

/** Elements of the library's arrays by kind. */
#define KIND_ROOM 256

/** Whether the library knows events of this kind; 0 stands for those that it does not know. */
int kind_is_event(uint32_t kind);

/** "assembly", "module", "domain". \p kind: bits of mprof_element_kind. */
const char *kind_of_element(uint32_t kind);

/** "contended", "acquired", "failed". */
const char *kind_of_monitor_state(uint64_t state);

/** "weak", "weak-track", "normal", "pinned". */
const char *kind_of_handle(uint32_t type);

/** "other", "static", "thread-static", "stack", "handle", "finalizer", "runtime". */
const char *kind_of_root(uint64_t kind);

/** "stack", "module", "function", "location", "root", "metric", "metric-value", "summary". */
const char *kind_of_record(uint32_t kind);

/** "raw", "bytes", "ns", "count", "ratio". \p flags: bits of mprof_metric_flag. */
const char *kind_of_unit(uint32_t flags);

/** The value of a metric as a double, for those whose flags say so. */
double kind_double_value(uint64_t value);

#endif
