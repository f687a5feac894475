/* SPDX-License-Identifier: MIT */
/**
 * \file model/finalizers.h
 * \brief Finalizers that ran, by class, and the runs of the finalizer thread.
 */
#ifndef MODEL_FINALIZERS_H
#define MODEL_FINALIZERS_H

#include "model/interval_stack.h"
#include "model/record_table.h"

#include <mprof/format.h>

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
