/* SPDX-License-Identifier: MIT */
/**
 * \file live/top_view.h
 * \brief What mprof top shows: the largest rows of the tables of the live window as text and as JSON, what the screen
 * has in common with them, and callers and callees of a method.
 */
#ifndef LIVE_TOP_VIEW_H
#define LIVE_TOP_VIEW_H

#include "live/live_profile.h"

/** The maximum number of rows that can be collected. */
#define TOP_ROWS_MAX 1000

/** By which of its numbers the rows of a table are sorted: see mprof_profile_table. */
typedef enum top_sort { TOP_SORT_SELF, TOP_SORT_TOTAL, TOP_SORT_COUNT } top_sort;

typedef struct top_row {
	size_t index; /**< In the table of the profile. */
	mprof_live_row values;
} top_row;

/** Copies the largest rows that are not all 0, the largest first. Returns their number. */
size_t top_view_collect(const live_profile *live, uint32_t table, top_sort sort, top_row *rows, size_t capacity);

/** The table that shows where time goes: that of methods, or of samples if no calls were recorded. */
uint32_t top_view_hot_table(const live_profile *live);

/** The name of a row. Valid until the next call. */
const char *top_view_name(const live_profile *live, uint32_t table, const top_row *row);

/** Size of a line of the header, in bytes. */
#define TOP_LINE_SIZE 512

/** The number of lines of the header. */
#define TOP_HEADER_LINES 5

/** Formats the header: state, window, lag and losses, rates, collections, the hottest methods. */
void top_view_header(const live_profile *live, char lines[TOP_HEADER_LINES][TOP_LINE_SIZE]);

/** Formats a row of a table without its name, and the titles of its columns. They have the same width. */
void top_view_row(const live_profile *live, uint32_t table, const top_row *row, char line[TOP_LINE_SIZE]);
void top_view_titles(uint32_t table, char line[TOP_LINE_SIZE]);

/** Prints everything. \p count: the number of rows of each table. */
void top_view_print_text(const live_profile *live, top_sort sort, size_t count);

/** Prints a document. \p count: the number of rows of each table. \p is_line: on one line. */
void top_view_print_json(const live_profile *live, top_sort sort, size_t count, int is_line);

/** The maximum number of callers, and of callees. */
#define TOP_CALLERS_MAX 100

/** A method or function, with its values where it calls or is called by the one in question. */
typedef struct top_related {
	uint32_t kind; /**< An mprof_sample_kind; 0 for the start of a thread. */
	uint32_t id;
	uint64_t self;
	uint64_t total;
	uint64_t count;
} top_related;

typedef struct top_callers {
	top_related callers[TOP_CALLERS_MAX]; /**< By total, the largest first. */
	size_t caller_count;
	top_related callees[TOP_CALLERS_MAX];
	size_t callee_count;
} top_callers;

/**
 * Finds what calls a method and what it calls, in the whole part of the log that was read. \p row is one of the table
 * of methods or of samples. Returns 0 if there is no memory.
 */
int top_view_find_callers(const live_profile *live, uint32_t table, const top_row *row, top_callers *found);

/** Formats the numbers of a caller or callee. */
void top_view_related(const top_related *related, uint32_t table, char line[TOP_LINE_SIZE]);

/** The name of a caller or callee. Valid until the next call. */
const char *top_view_related_name(const live_profile *live, const top_related *related);

#endif
