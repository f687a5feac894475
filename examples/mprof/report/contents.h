/* SPDX-License-Identifier: MIT */
/**
 * \file report/contents.h
 * \brief What a report consists of: a view for each table and each tree, by the unit that defines it. print.c has their
 * order.
 */
#ifndef REPORT_CONTENTS_H
#define REPORT_CONTENTS_H

#include "report/view.h"

/* report/calls.c */
extern const report_view calls_tree;
extern const report_view calls_slowest;

/* report/event_tables.c */
extern const report_view tables_spans;
extern const report_view tables_longest_spans;
extern const report_view tables_event_types; /**< Without spans. */
extern const report_view meanings_messages;
extern const report_view meanings_waits;
extern const report_view meanings_generations;
extern const report_view meanings_states;
extern const report_view metrics_view;
extern const report_view metrics_histograms;
extern const report_view timeline_pauses;
extern const report_view timeline_threads;

/* report/memory.c */
extern const report_view heap_classes;
extern const report_view heap_summaries;
extern const report_view ages_history;
extern const report_view ages_totals;
extern const report_view ages_types;
extern const report_view ages_backtraces;
extern const report_view ages_temporaries;
extern const report_view ages_alive;
extern const report_view memory_view;

/* report/native_code.c */
extern const report_view code_by_origin;
extern const report_view code_by_assembly;
extern const report_view code_by_method;
extern const report_view code_by_range;

/* report/processes.c */
extern const report_view processes_described;
extern const report_view processes_timelines;
extern const report_view processes_clocks;

/* report/samples.c */
extern const report_view samples_by_item;
extern const report_view samples_by_line;
extern const report_view samples_debug_information;
extern const report_view samples_by_wait;
extern const report_view samples_tree;
extern const report_view sample_kinds_view;
extern const report_view sample_kinds_groups; /**< By thread, processor and mode. */

/* report/tables.c */
extern const report_view tables_methods;
extern const report_view tables_methods_lists; /**< As text; documents have tables_methods. */
extern const report_view tables_compilation;
extern const report_view tables_durations;
extern const report_view tables_classes;
extern const report_view tables_freed;
extern const report_view tables_allocation_sites;
extern const report_view tables_handles;
extern const report_view tables_collections;
extern const report_view tables_heap_resizes;
extern const report_view tables_monitors;
extern const report_view tables_monitor_sites;
extern const report_view tables_monitor_holders;
extern const report_view tables_finalizers;
extern const report_view tables_exceptions;
extern const report_view tables_exception_sites;
extern const report_view tables_exception_clauses;
extern const report_view tables_marks;
extern const report_view tables_lines;
extern const report_view tables_threads;
extern const report_view tables_elements;

#endif
