/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain_state.h
 * \brief The writer thread's own state. A function that takes a recorder_drain is called on the writer thread alone,
 * unless it is constant.
 */
#ifndef RECORDER_DRAIN_STATE_H
#define RECORDER_DRAIN_STATE_H

#include <mprof/recorder.h>

#include "base/stack_table.h"
#include "recorder/counter_rate.h"
#include "recorder/drain_jobs.h"
#include "recorder/heap_drain.h"
#include "recorder/keys.h"
#include "recorder/metrics.h"
#include "recorder/open_block.h"
#include "recorder/output.h"
#include "recorder/roots.h"
#include "recorder/salvage_tail.h"
#include "recorder/shared.h"
#include "recorder/stacks.h"

/** A slot at which a thread switches between stacks: see recorder/stack_order.c. */
typedef struct stack_point stack_point;

/**
 * Owner: the writer thread once it runs; before that and after its end, the thread that opens or frees the recorder.
 */
typedef struct recorder_drain {
	recorder_shared *shared;
	recorder_output *output;

	/* Constant. */
	uint32_t buffer_events; /**< Capacity of buffers, and so of the arrays below. */
	uint32_t interval_ms;   /**< Time between rounds that drain buffers which are not full. */
	void (*failed)(void *user, const mprof_error *error); /**< As in the options. May be NULL. */
	void *failed_user;
	int has_failed;                     /**< recorder_shared::failed is set. */
	void (*thread_started)(void *user); /**< Called on the writer thread before all else. May be NULL. */
	void (*thread_ended)(void *user);   /**< Called on the writer thread after all else. May be NULL. */
	void *thread_user;

	recorder_keys keys;
	stack_store stacks;
	metric_table metrics;
	root_table roots;
	heap_drain heap;

	mprof_event *events;         /**< The events of one buffer. */
	mprof_event_detail *details; /**< The details of wide events. */

	open_block block; /**< In columns. There is none between rounds. */
	drain_threads threads;

	counter_rate rate;         /**< The frequency of the counter. */
	uint64_t latest_counter;   /**< The highest counter of events and samples that were drained. */
	uint64_t samples_written;  /**< Samples in the log. */
	salvage_progress progress; /**< Made valid by the next salvage_commit(). */
	salvage_tail tail;         /**< Of a compressed log. */

	/* Watermarks. */
	uint64_t memory_events; /**< Events of native memory since the last watermark. */
	uint64_t whole_round; /**< Counter before a round that drained all threads, for the next watermark; 0: none. */
	uint64_t whole_round_time; /**< When that round ended, in nanoseconds of the monotonic clock. */

	stack_table switched; /**< Call stacks that threads switch between: #switched_stack. */
	/* State of rounds that order stacks: see recorder/stack_order.c. */
	stack_point *stack_points;
	size_t stack_point_count;
	size_t stack_point_capacity;
	uint32_t round_number;
	int order_has_failed; /**< There was no memory to order this round, so its events are lost. */
} recorder_drain;

#endif
