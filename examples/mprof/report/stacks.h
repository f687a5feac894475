/* SPDX-License-Identifier: MIT */
/**
 * \file report/stacks.h
 * \brief Prints call stacks, with inlined functions and lines of native code.
 */
#ifndef REPORT_STACKS_H
#define REPORT_STACKS_H

#include "common/json.h"
#include "report/report.h"

/**
 * A lower bound of the size of the frames of a call stack in JSON, in bytes. Counting stops once it exceeds \p most.
 */
uint64_t report_json_stack_size(const log_report *report, uint32_t stack, uint64_t most);

/**
 * Prints the first frames of a call stack, one per line, without those that are hidden and with one for each run of
 * those that are collapsed. Inlined functions have frames of their own.
 */
void report_stack(const log_report *report, uint32_t stack);
void report_frame_list(const log_report *report, const mprof_stack_frame *frames, size_t count);

/**
 * Numbers that are equal for call stacks that are printed equally, apart from lines. \p shape has room for \p count
 * numbers. Returns how many it has.
 */
size_t report_stack_shape(const log_report *report, const mprof_stack_frame *frames, size_t count, uint64_t *shape);

/**
 * Prints the frames of a call stack, the innermost first: their names as an array, and if some have source lines, these
 * as an array with the same number of elements whose key ends with "_lines".
 */
void report_json_stack(const log_report *report, json_writer *json, const char *key, uint32_t stack);
void report_json_frame_list(const log_report *report, json_writer *json, const char *key,
			    const mprof_stack_frame *frames, size_t count);

/**
 * Begins the object of a call site of a class. \p row_size: its size in bytes without the stack; both are subtracted
 * from \p room. Returns 0 and prints nothing if the room is too small.
 */
int report_json_begin_site(const log_report *report, json_writer *json, uint32_t class_id, uint32_t stack,
			   uint64_t row_size, uint64_t *room);

/** Ends the object of a call site with its stack. */
void report_json_end_site(const log_report *report, json_writer *json, uint32_t stack);

#endif
