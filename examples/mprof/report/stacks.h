/* SPDX-License-Identifier: MIT */
/**
 * \file report/stacks.h
 * \brief Prints call stacks, with inlined functions and lines of native code, and merges rows whose call stacks are
 * shown alike.
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

/** A kind of rows with call stacks. */
typedef struct site_merge {
	size_t size;        /**< Of a row, in bytes. */
	const void *user;   /**< For #frames and #add. */
	const void *fields; /**< For #compare. */
	/**
	 * Returns the call stack of a row, the innermost frame first. If \p is_owned is set to 1, the caller frees it.
	 */
	const mprof_stack_frame *(*frames)(const log_report *report, const void *user, const void *row, size_t *count,
					   int *is_owned);
	/** Orders rows by all but the call stack: 0 if equal call stacks make them rows of one site. */
	int (*compare)(const void *fields, const void *left, const void *right);
	/** Adds the figures of a row to another one. */
	void (*add)(const void *user, void *sum, const void *row);
} site_merge;

/**
 * Merges rows whose call stacks are equal once frames are hidden and collapsed; they are then in no particular order.
 * Without frames that are hidden or collapsed, or after a message if out of memory, they stay as they are.
 */
void report_merge_sites(const log_report *report, const site_merge *merge, void *rows, size_t *count);

/** The frames of a call stack, or the caller alone if there is none: the result for site_merge::frames. */
const mprof_stack_frame *report_site_frames(const log_report *report, uint32_t stack, uint32_t caller,
					    uint32_t is_compiling, size_t *count, int *is_owned);

/** The standard error of the sum of two estimates. */
uint64_t report_add_error(uint64_t left, uint64_t right);

#endif
