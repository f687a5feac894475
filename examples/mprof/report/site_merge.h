/* SPDX-License-Identifier: MIT */
/**
 * \file report/site_merge.h
 * \brief Merges call sites whose call stacks are equal once frames are hidden and collapsed.
 */
#ifndef REPORT_SITE_MERGE_H
#define REPORT_SITE_MERGE_H

#include "report/report.h"

/** A kind of rows. */
typedef struct site_merge {
	size_t size; /**< Of a row, in bytes. */
	/**
	 * Returns the call stack of a row, the innermost frame first. If \p is_owned is set to 1, the caller frees it.
	 */
	const mprof_stack_frame *(*frames)(const log_report *report, const void *row, size_t *count, int *is_owned);
	/** Orders rows by all but the call stack: 0 if equal call stacks make them rows of one site. */
	int (*compare)(const void *left, const void *right);
	void (*add)(void *sum, const void *row); /**< Adds the figures of a row to another one. */
} site_merge;

/**
 * Merges the rows and sorts them by \p order again. Without frames that are hidden or collapsed, or after a message if
 * out of memory, they stay as they are.
 */
void report_merge_sites(const log_report *report, const site_merge *merge, void *rows, size_t *count,
			int (*order)(const void *, const void *));

/** The frames of a call stack, as site_merge::frames returns them; without one, those are the caller alone, if any. */
const mprof_stack_frame *site_merge_frames(const log_report *report, uint32_t stack, uint32_t caller,
					   uint32_t is_compiling, size_t *count, int *is_owned);

/** Adds a standard error to that of another estimate. */
uint64_t site_merge_add_error(uint64_t left, uint64_t right);

#endif
