/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/finalizers.h
 * \brief Finalizers that ran, by class, and the runs of the finalizer thread.
 */
#ifndef MODEL_RECORDS_FINALIZERS_H
#define MODEL_RECORDS_FINALIZERS_H

#include <mprof/format.h>

#include "base/allocator.h"
#include "model/records/record_table.h"

typedef struct interval {
	uint64_t start;  /**< Counter. */
	uint64_t nested; /**< Sum of the durations of the intervals directly inside it that have ended. */
	size_t result;   /**< As set by interval_stack_set_result(); 0 if not. */
	uint32_t id;     /**< Method or class. */
} interval;

typedef struct interval_stack {
	interval *intervals;
	size_t count;
	size_t capacity;
} interval_stack;

/** An interval that has ended. */
typedef struct ended_interval {
	uint64_t duration; /**< In counters; 0 if they went backwards. */
	uint64_t self;     /**< The duration without that of intervals inside it. */
	size_t result;     /**< As set by interval_stack_set_result(); 0 if not. */
	uint32_t id;       /**< The ID at the start. */
	int is_outermost;  /**< No other interval is open. */
	int is_repeated;   /**< An outer interval of the same ID is open, whose duration includes this one. */
} ended_interval;

/** Returns 0, changing nothing, if there is no memory. */
int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter);

/** Sets the result of the innermost interval of \p id, a number above 0 that the caller defines. Ignored if none. */
void interval_stack_set_result(interval_stack *stack, uint32_t id, size_t result);

/**
 * Ends the innermost interval of \p id and discards those inside it, whose ends are not in the log. If there is none of
 * \p id, ends the innermost interval, since some writers use different names for the start and the end of a
 * compilation. Returns 0 if no interval is open.
 */
int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended);

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator);

/** Times are in counters. */
typedef struct finalizer_record {
	uint32_t class_id;
	uint64_t count;
	uint64_t time;
} finalizer_record;

typedef struct finalizer_list {
	record_table records; /**< Each finalizer_record, by class. */
	uint64_t count;
	uint64_t time; /**< Time in outermost finalizers, in counters. */
	uint64_t runs;
	uint64_t run_time;
} finalizer_list;

/** The finalizers and the run that a thread has begun and not ended. */
typedef struct finalizer_state {
	interval_stack finalizers;
	int is_running;
	uint64_t run_start; /**< Counter. */
} finalizer_state;

void finalizers_init(finalizer_list *all, const mprof_allocator *allocator);
void finalizers_destroy(finalizer_list *all);

/**
 * Adds a FINALIZER_... or FINALIZATION_... event of a thread, at \p counter. \p counts is 1, or 0 outside the window,
 * where nothing is counted. Returns 0 if there is no memory.
 */
int finalizers_add(finalizer_list *all, finalizer_state *state, const mprof_event *event, uint32_t counts,
		   uint64_t counter);

/** The thread has ended, or its events were not recorded: nothing that it has begun will end. */
void finalizers_clear_state(finalizer_state *state);

#endif
