/* SPDX-License-Identifier: MIT */
/**
 * \file export/value.h
 * \brief What call stacks are weighted by, as --value of the commands export and flame names it.
 */
#ifndef EXPORT_VALUE_H
#define EXPORT_VALUE_H

#include "report/report.h"

/** Values are indexes of a table; #EXPORT_VALUE_DEFAULT is not a value. */
typedef enum export_value {
	EXPORT_WALL,             /**< Exclusive time of calls. */
	EXPORT_CPU,              /**< Processor time that samples represent. */
	EXPORT_CALLS,            /**< Calls. */
	EXPORT_SAMPLES,          /**< Samples. */
	EXPORT_ALLOCATIONS,      /**< Objects allocated. */
	EXPORT_BYTES,            /**< Bytes allocated. */
	EXPORT_WAITS,            /**< Time of waits for monitors. */
	EXPORT_HEAP,             /**< Bytes of the live objects of a heap snapshot. */
	EXPORT_HANDLES,          /**< Handles alive. */
	EXPORT_MEMORY,           /**< Bytes of native memory allocated. */
	EXPORT_MEMORY_LIVE,      /**< Bytes of native memory that exist at the end. */
	EXPORT_MEMORY_PEAK,      /**< Bytes of native memory that existed at the peak of all. */
	EXPORT_MEMORY_TEMPORARY, /**< Temporary allocations of native memory. */
	EXPORT_KIND,             /**< What samples of a kind stand for, report_options::sample_kind. */
	EXPORT_VALUES,
	EXPORT_VALUE_DEFAULT = EXPORT_VALUES
} export_value;

/** The values, for the help of commands, which have them on two lines. */
#define EXPORT_VALUES_FIRST "wall, cpu, calls, samples, allocations, bytes, waits, heap, handles, memory"
#define EXPORT_VALUES_SECOND "memory-live, memory-peak, memory-temporary, samples:KIND"

/**
 * Finds the value of a name. \p kind receives the kind of #EXPORT_KIND, which points into the name. Returns 0 after a
 * message with the most similar name if no kind has it.
 */
int export_value_parse(export_value *value, const char **kind, const char *name);

/**
 * Gets the kind of samples that a report has as a value: that of a type, or if it is 0 that of the options. Returns 0
 * if the log has none.
 */
int export_value_find_kind(const log_report *report, uint32_t type, mprof_sample_kind_stats *kind);

/** The name that --value accepts, such as "wall". */
const char *export_value_name(export_value value);

/** A title, such as "Time in methods". */
const char *export_value_title(export_value value);

/** "nanoseconds", "count" or "bytes". */
const char *export_value_unit(export_value value);

/** Formats an amount for people. Returns \p text. */
char *export_value_format(export_value value, char text[], uint64_t amount);

/** Whether the log has data of a value. */
int export_value_exists(const log_report *report, export_value value);

/** Prints on standard error that the log has no data of a value, and which values it has. */
void export_value_note_missing(const log_report *report, export_value value);

/** Whether the log has native memory. */
int export_value_has_memory(const log_report *report);

/** Whether a metric is of a thread. Recorders add some to each thread, so their values alone are no content. */
int export_value_is_of_thread(const mprof_reader *reader, uint32_t metric);

/**
 * Whether what was written is nothing that the log was recorded for: no \p contents, and no values of metrics of
 * threads beside native memory, which is left out.
 */
int export_value_is_empty(const log_report *report, uint64_t contents, uint64_t thread_values);

/**
 * Prints on standard error that a format can represent nothing of the log, and that another one can. Returns
 * #STATUS_NOTHING.
 */
int export_value_note_empty(const log_report *report, const char *format);

/** The main content of a log: samples, else time, else bytes allocated, and so on; #EXPORT_VALUES if none. */
export_value export_value_choose(const log_report *report);

#endif
