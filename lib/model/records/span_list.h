/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/span_list.h
 * \brief The longest spans of a log, as single ones.
 */
#ifndef MODEL_RECORDS_SPAN_LIST_H
#define MODEL_RECORDS_SPAN_LIST_H

#include "base/memory_budget.h"

/** A span. Times are counters. */
typedef struct listed_span {
	uint64_t start;
	uint64_t end;
	uint64_t thread;        /**< The one of its start, or of a span that is recorded as a whole. */
	uint64_t stack;         /**< Number of the call stack; 0: that of the thread. */
	uint32_t record;        /**< Number of its event_type_record. */
	uint32_t is_loose;      /**< Any thread may end it: it is on no call stack. */
	uint32_t is_unfinished; /**< Its end is not in the log. */
} listed_span;

typedef struct span_list {
	memory_budget *budget;
	int is_enabled; /**< 0: there is no list. */
	size_t limit;   /**< The maximum number of spans that have ended. */
	listed_span
		*spans; /**< Those that have ended: a heap, the shortest one first, once there are as many as limit. */
	size_t count;
	size_t capacity;
	uint64_t left_out;  /**< Shorter ones, and those for which there was no memory. */
	listed_span *shown; /**< As of span_list_show(), in the order of their starts. */
	size_t shown_count;
	size_t shown_capacity;
} span_list;

void span_list_init(span_list *list, memory_budget *budget, size_t limit);
void span_list_destroy(span_list *list);

/** Adds a span that has ended. Returns 0 if the allocator refused. */
int span_list_add(span_list *list, const listed_span *span);

/** Begins what is shown with the spans that have ended. Returns 0 if there is no memory. */
int span_list_begin_show(span_list *list);

/** Shows a span that has not ended, too. Returns 0 if there is no memory. */
int span_list_show_open(span_list *list, const listed_span *span);

/** All that is shown was added. */
void span_list_end_show(span_list *list);

#endif
