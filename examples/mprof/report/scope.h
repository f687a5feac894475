/* SPDX-License-Identifier: MIT */
/**
 * \file report/scope.h
 * \brief Which filters a table ignores, so that its title and the JSON document can state it.
 */
#ifndef REPORT_SCOPE_H
#define REPORT_SCOPE_H

#include "common/json.h"
#include "report/report.h"

/** The tables of a report, and figures that differ from the others of their table. */
typedef enum report_table {
	TABLE_TOTALS,
	TABLE_TOTAL_FREED_OBJECTS,
	TABLE_TOTAL_FREED_BYTES,
	TABLE_TOTAL_MOVED_OBJECTS,
	TABLE_TOTAL_LOST_EVENTS,
	TABLE_TOTAL_EVENTS,
	TABLE_METHODS,
	TABLE_COMPILATION,
	TABLE_DURATIONS,
	TABLE_SLOW_CALLS,
	TABLE_PAUSES,
	TABLE_PAUSE_SUMMARY,
	TABLE_PAUSE_HISTOGRAM,
	TABLE_TIMELINE,
	TABLE_CALL_TREE,
	TABLE_CALLERS,
	TABLE_CALLEES,
	TABLE_INVERTED_TREES,
	TABLE_SAMPLES,
	TABLE_SAMPLE_LINES,
	TABLE_SAMPLE_WAITS,
	TABLE_SAMPLE_TREE,
	TABLE_CLASSES,
	TABLE_ALLOCATION_SITES,
	TABLE_AGE_TOTALS,
	TABLE_HISTORY,
	TABLE_TYPES,
	TABLE_BACKTRACES,
	TABLE_TEMPORARIES,
	TABLE_ALIVE,
	TABLE_ALIVE_CLASSES,
	TABLE_HEAP_SNAPSHOTS,
	TABLE_HEAP_CLASSES,
	TABLE_FREED,
	TABLE_HEAP_SUMMARIES,
	TABLE_MEMORY,
	TABLE_MEMORY_SITES,
	TABLE_HANDLES,
	TABLE_COLLECTIONS,
	TABLE_HEAP_RESIZES,
	TABLE_MONITORS,
	TABLE_MONITOR_SITES,
	TABLE_MONITOR_HOLDERS,
	TABLE_FINALIZERS,
	TABLE_EXCEPTIONS,
	TABLE_EXCEPTION_SITES,
	TABLE_EXCEPTION_CLAUSES,
	TABLE_CODE_TOTALS,
	TABLE_CODE_ASSEMBLIES,
	TABLE_CODE_METHODS,
	TABLE_METRICS,
	TABLE_MARKS,
	TABLE_THREADS,
	TABLE_ELEMENTS,
	TABLE_DEBUG_INFORMATION,
	TABLES
} report_table;

/** Prints the filters that a table ignores, each after a separator: " (" before the first one, then "; ". */
const char *report_scope_text(const log_report *report, report_table table, const char *separator);

/** Prints the tables that ignore filters, each with the filters, as an array. */
void report_scope_json(const log_report *report, json_writer *json);

#endif
