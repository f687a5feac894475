/* SPDX-License-Identifier: MIT */
/**
 * \file live/top_callers.h
 * \brief What calls a method and what it calls, in the whole part of the log that was read.
 */
#ifndef TOP_CALLERS_H
#define TOP_CALLERS_H

#include "live/top_text.h"

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

/** \p row is one of the table of methods or of samples. Returns 0 if there is no memory. */
int top_callers_find(const live_profile *live, uint32_t table, const top_row *row, top_callers *found);

/** Formats the numbers. */
void top_callers_format(const top_related *related, uint32_t table, char line[TOP_LINE_SIZE]);

/** The name of a caller or callee. Valid until the next call. */
const char *top_callers_name(const live_profile *live, const top_related *related);

#endif
