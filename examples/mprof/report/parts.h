/* SPDX-License-Identifier: MIT */
/**
 * \file report/parts.h
 * \brief Declarations shared by the parts of a report, and the parts whose text and JSON forms are in one file.
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "common/json.h"
#include "report/report.h"

/** Comparison for sorting: the larger number first. */
int report_larger_first(uint64_t left, uint64_t right);

/** The smallest part of a whole that is not below a share of it. */
uint64_t report_least(uint64_t share, uint64_t whole);

/** Returns 1 if no filter selects methods or classes, so that rows with neither are wanted too. */
int report_wants_all(const log_report *report);

/** Returns 1 if a method passes the filters. */
int report_wants_method(const log_report *report, uint32_t id);

/** Returns 1 if a class passes the filters; \p id 0 is an unknown class. */
int report_wants_class(const log_report *report, uint32_t id);

/** Starts the thread filter: while the log is read, other threads are skipped. */
void report_filters_begin(log_report *report);
void report_filters_skip_thread(log_report *report, uint64_t thread);
void report_filters_release(log_report *report);

/** Reports on standard error which filters match nothing in the log, with the nearest names. */
void report_filters_check(const log_report *report);

/** Fetches a row of a table; returns 1 if it is wanted. */
typedef int (*report_fetch)(const log_report *report, size_t index, void *row);

/**
 * Fetches up to \p count rows of \p size bytes, keeps those that are wanted, and sorts them. The caller frees the
 * array. NULL after a message, with \p kept 0, if out of memory.
 */
void *report_collect(const log_report *report, size_t count, size_t size, report_fetch fetch,
		     int (*compare)(const void *, const void *), size_t *kept);

/**
 * Collects the classes of thrown exceptions, the most frequent first. The caller frees the array. NULL after a message,
 * with \p count 0, if out of memory.
 */
mprof_class_stats *report_collect_exceptions(const log_report *report, size_t *count);

/** Prints "out of memory" on standard error. */
void report_out_of_memory(void);

/** Filters that a table ignores: those of names, and that of the thread. */
typedef enum report_ignored { REPORT_IGNORES_NONE = 0, REPORT_ALL_NAMES = 1, REPORT_ALL_THREADS = 2 } report_ignored;

/** Prints the title of a table, with a note if not all rows are shown or it ignores filters. */
void report_title(const log_report *report, const char *title, size_t shown, size_t all, unsigned int ignored);

/** Maximum size of a part of a bounded document, in bytes; UINT64_MAX for other documents. */
uint64_t report_room(const log_report *report);

/**
 * A lower bound of the size of the frames of a call stack in JSON, in bytes. Counting stops once it exceeds \p most.
 */
uint64_t report_json_stack_size(const log_report *report, uint32_t stack, uint64_t most);

/** Subtracts the size of a row from the remaining room of its part; returns 0 if the room is too small. */
int report_takes_room(uint64_t *room, uint64_t size);

/** Prints a name as the rest of a line, "(unknown)" for NULL. */
void report_name(const char *name);
void report_method(const log_report *report, uint32_t id);
void report_class(const log_report *report, uint32_t id);

/** Prints a frame of a call stack as the rest of a line. */
void report_frame(const log_report *report, const mprof_stack_frame *frame);

/** Prints the first frames of a call stack, one per line. */
void report_stack(const log_report *report, uint32_t stack);

/** Prints the names of the frames of a call stack, the innermost first, as an array. */
void report_json_stack(const log_report *report, json_writer *json, const char *key, uint32_t stack);

/** Prints the name of a class; null for 0. */
void report_json_class(const log_report *report, json_writer *json, uint32_t id);

void report_call_tree_text(const log_report *report);
void report_call_tree_json(const log_report *report, json_writer *json);

void report_samples_text(const log_report *report);
void report_samples_json(const log_report *report, json_writer *json);
void report_sample_tree_text(const log_report *report);
void report_sample_tree_json(const log_report *report, json_writer *json);

void report_allocation_stacks_text(const log_report *report);
void report_allocation_stacks_json(log_report *report, json_writer *json);

void report_heap_shots_text(const log_report *report);
void report_freed_text(const log_report *report);
void report_heap_shots_json(log_report *report, json_writer *json);
void report_heap_summaries_text(const log_report *report);
void report_heap_summaries_json(log_report *report, json_writer *json);

void report_memory_text(const log_report *report);
void report_memory_json(log_report *report, json_writer *json);

void report_handles_text(const log_report *report);
void report_handles_json(log_report *report, json_writer *json);

void report_monitors_text(const log_report *report);
void report_monitors_json(log_report *report, json_writer *json);
void report_finalizers_text(const log_report *report);
void report_finalizers_json(const log_report *report, json_writer *json);

void report_metrics_text(const log_report *report);
void report_metrics_json(const log_report *report, json_writer *json);
void report_marks_text(const log_report *report);
void report_marks_json(const log_report *report, json_writer *json);

#endif
