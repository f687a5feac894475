/* SPDX-License-Identifier: MIT */
/**
 * \file report/parts.h
 * \brief What the parts of a report share, and the parts that have both forms, text and JSON, in one file.
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "common/json.h"
#include "report/report.h"

/** For sorting: the larger number first. */
int report_larger_first(uint64_t left, uint64_t right);

/** The least part of a whole that is not below a share of it. */
uint64_t report_least(uint64_t share, uint64_t whole);

/** 1 if no option asks for certain methods or classes, so that what has neither is wanted too. */
int report_wants_all(const log_report *report);

/** 1 if a method passes the filters. */
int report_wants_method(const log_report *report, uint32_t id);

/** 1 if a class passes the filters; 0 stands for one that is not known. */
int report_wants_class(const log_report *report, uint32_t id);

/** While the log is read, another thread than the one that was asked for is passed over. */
void report_filters_begin(log_report *report);
void report_filters_pass_thread(log_report *report, uint64_t thread);
void report_filters_release(log_report *report);

/** Tells on standard error which filters match nothing in the log, and what is most like them. */
void report_filters_check(const log_report *report);

/** Fetches a row of a table; returns 1 if it is wanted. */
typedef int (*report_fetch)(const log_report *report, size_t index, void *row);

/**
 * Fetches up to \p count rows of \p size bytes, keeps those that are wanted, and sorts them. To be freed. NULL after a
 * message, with \p kept 0, if there is no memory.
 */
void *report_collect(const log_report *report, size_t count, size_t size, report_fetch fetch,
		     int (*compare)(const void *, const void *), size_t *kept);

/** Classes of exceptions that were thrown, the most frequent first; as above. */
mprof_class_stats *report_collect_exceptions(const log_report *report, size_t *count);

/** "no memory" on standard error. */
void report_out_of_memory(void);

/** Filters that a table does not heed: those of names, and that of the thread. */
typedef enum report_unheeded { REPORT_HEEDS_ALL = 0, REPORT_ALL_NAMES = 1, REPORT_ALL_THREADS = 2 } report_unheeded;

/** Begins a table as text; if not all rows are shown, or filters have no effect on it, it says so. */
void report_title(const log_report *report, const char *title, size_t shown, size_t all, unsigned int unheeded);

/** Room of a part of a bounded document, in bytes; of another one as much as there can be. */
uint64_t report_room(const log_report *report);

/** What the frames of a call chain take, at least; no more than needed to see that it is above \p most. */
uint64_t report_json_stack_size(const log_report *report, uint32_t stack, uint64_t most);

/** Takes what a row needs from the room of its part; returns 0 if that is not there. */
int report_takes_room(uint64_t *room, uint64_t size);

/** The rest of a line: a name, "(unknown)" for NULL. */
void report_name(const char *name);
void report_method(const log_report *report, uint32_t id);
void report_class(const log_report *report, uint32_t id);

/** The same for a frame of a call chain. */
void report_frame(const log_report *report, const mprof_stack_frame *frame);

/** The frames of a call chain, each on a line, as far as they help. */
void report_stack(const log_report *report, uint32_t stack);

/** Names of the frames of a call chain, the innermost first, as an array. */
void report_json_stack(const log_report *report, json_writer *json, const char *key, uint32_t stack);

/** The name of a class; null for 0. */
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
