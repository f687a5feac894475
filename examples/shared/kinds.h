/* SPDX-License-Identifier: MIT */
/**
 * \file shared/kinds.h
 * \brief Names of the kinds that logs encode as numbers. The name of an unknown kind is "unknown".
 */
#ifndef SHARED_KINDS_H
#define SHARED_KINDS_H

#include <mprof/format.h>

#include <stdint.h>

/** Number of elements of the library's arrays that are indexed by kind. */
#define KIND_ROOM 256

/** Whether the library defines events of this kind; 0 is the kind of unknown events. */
int kind_is_event(uint32_t kind);

/** "assembly", "module", "domain". \p kind: bits of mprof_element_kind. */
const char *kind_of_element(uint32_t kind);

/** "contended", "acquired", "failed". */
const char *kind_of_monitor_state(uint64_t state);

/** "catch", "filter", "finally", "fault". */
const char *kind_of_clause(uint32_t kind);

/** "jit", "precompiled", "trampoline", "interpreted". */
const char *kind_of_code(uint32_t origin);
const char *kind_of_code_range(uint32_t kind);

/** "weak", "weak-track", "normal", "pinned". */
const char *kind_of_handle(uint32_t type);

/** "other", "static", "thread-static", "stack", "handle", "finalizer", "runtime". */
const char *kind_of_root(uint64_t kind);

/** What a processor executed at a sample: "unknown", "user", "kernel", "other". */
const char *kind_of_mode(uint64_t mode);

/** "stack", "module", "function", "location", "root", "metric" and others. */
const char *kind_of_record(uint32_t kind);

/** "instant", "begin", "end", "span". */
const char *kind_of_form(uint32_t form);

/** The name of an #mprof_clock_kind. */
const char *kind_of_clock(uint32_t kind);

/** The name of an #mprof_timeline_kind. */
const char *kind_of_timeline(uint32_t kind);

/** "number", "boolean", "address", "duration", "text" and others. */
const char *kind_of_argument(uint32_t kind);

/** "unsigned", "signed", "fixed", "bytes". */
const char *kind_of_encoding(uint32_t encoding);

/** "none", "duration", "span", "parent" and others. */
const char *kind_of_role(uint32_t role);

/** "", "bytes", "ns", "count", "ratio", or the name of the unit. Borrowed from \p argument. */
const char *kind_of_argument_unit(const mprof_argument_record *argument);

/** The unit of a metric: "raw", "bytes", "ns" and others, or the one that the log names. Borrowed from \p metric. */
const char *kind_of_metric_unit(const mprof_metric_record *metric);

/** "trace" to "fatal"; "unknown" for 0. */
const char *kind_of_severity(uint32_t severity);

/** The value of a metric as a double, for metrics whose flags specify this. */
double kind_double_value(uint64_t value);

#endif
