/* SPDX-License-Identifier: MIT */
/**
 * \file report/tables.h
 * \brief The tables whose rows are those of a table of the profile: what a report shows of them.
 */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "report/view.h"

extern const report_view tables_methods;
extern const report_view tables_durations;
extern const report_view tables_classes;
extern const report_view tables_allocation_sites;
extern const report_view tables_freed;
extern const report_view tables_handles; /**< For the keys of --sort. */
extern const report_view tables_collections;
extern const report_view tables_heap_resizes;
extern const report_view tables_monitors;
extern const report_view tables_monitor_holders;
extern const report_view tables_monitor_sites;
extern const report_view tables_finalizers;
extern const report_view tables_exceptions;
extern const report_view tables_exception_sites;
extern const report_view tables_exception_clauses;
extern const report_view tables_marks;
extern const report_view tables_lines;
extern const report_view tables_threads;
extern const report_view tables_elements;

/** The processor time of all threads, and the time that they waited for a processor, in nanoseconds. */
void tables_sum_thread_times(const log_report *report, uint64_t *cpu, uint64_t *ready);

/** Prints the methods by their own time and by that with what they call, or in the order that was chosen. */
void tables_methods_text(const log_report *report);

/** Prints the methods by the time of their compilation. */
void tables_compilation_text(const log_report *report);

/** Prints the collections by generation. */
void tables_collections_text(const log_report *report);

/** Prints the handles with the call sites that created them. */
void tables_handles_text(const log_report *report);
void tables_handles_json(log_report *report, json_writer *json);

#endif
