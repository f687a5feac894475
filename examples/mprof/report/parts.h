/* SPDX-License-Identifier: MIT */
/**
 * \file report/parts.h
 * \brief Rows, titles and names, for all parts of a report.
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "common/json.h"
#include "report/orders.h"
#include "report/report.h"
#include "report/scope.h"

/** Comparison for sorting: the larger number first. */
int report_larger_first(uint64_t left, uint64_t right);

/** The smallest number that is at least \p share of \p whole. The share is in units of 1 / #REPORT_WHOLE. */
uint64_t report_least(uint64_t share, uint64_t whole);

/** Fetches a row of a table; returns 1 if it is wanted. */
typedef int (*report_fetch)(const log_report *report, size_t index, void *row);

/**
 * Fetches up to \p count rows of \p size bytes, keeps those that are wanted, and sorts them. The caller frees the
 * array. NULL after a message, with \p kept 0, if out of memory.
 */
void *report_collect(const log_report *report, size_t count, size_t size, report_fetch fetch,
		     int (*compare)(const void *, const void *), size_t *kept);

/** Sorts the rows of a table in the order that was chosen for it, if any. */
void report_apply_order(const log_report *report, order_table table, void *rows, size_t count, size_t size);

/** Prints the title of a table, with a note if not all rows are shown or it ignores filters. */
void report_title(const log_report *report, const char *title, size_t shown, size_t all, report_table table);

/** Maximum size of a part of a bounded document, in bytes; UINT64_MAX for other documents. */
uint64_t report_room(const log_report *report);

/** Subtracts the size of a row from the remaining room of its part; returns 0 if the room is too small. */
int report_takes_room(uint64_t *room, uint64_t size);

/** The last component of a path. */
const char *report_file_name(const char *path);

/** Prints a name as the rest of a line, "(unknown)" for NULL. */
void report_name(const char *name);
void report_method(const log_report *report, uint32_t id);
void report_class(const log_report *report, uint32_t id);

/** Prints a frame of a call stack as the rest of a line, without lines of native code. */
void report_frame(const log_report *report, const mprof_stack_frame *frame);

/** Prints a position in the source; null for a file or a line that is not known. */
void report_json_position(json_writer *json, const char *file, uint32_t line);

/** Prints the name of a class; null for 0. */
void report_json_class(const log_report *report, json_writer *json, uint32_t id);

/**
 * Prints the figures of a row of a table of a profile (#mprof_profile_table): numbers of things, bytes, durations and
 * times, each with the name of its field. Those of \p first come first, in its order; those of \p left_out are left
 * out. Both are names with spaces between them, or NULL. So a figure that the library gains is in the document.
 */
void report_json_figures(json_writer *json, uint32_t table, const void *row, const char *first, const char *left_out);

#endif
