/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/timeline.h
 * \brief What each thread did in slices of time of equal length.
 *
 * If the end of the window is not known, slices become twice as long whenever the log outgrows them, and each two
 * become one. The slices of a thread catch up when they are used.
 */
#ifndef MODEL_RECORDS_TIMELINE_H
#define MODEL_RECORDS_TIMELINE_H

#include "base/memory_budget.h"
#include "model/records/window.h"

#include <mprof/format.h>

/** Times are in counters unless stated otherwise. */
typedef struct timeline_slice {
	uint64_t methods; /**< Time with an open method. */
	uint64_t cpu_ns;  /**< Processor time. */
	uint64_t samples;
	uint64_t waiting_samples; /**< Samples of known waits. */
	uint64_t open; /**< Time in a call that has not ended, from the last event of the thread on. Computed by
	                               pauses_show(), like existing, waiting and stopped. */
	uint64_t existing;
	uint64_t waiting;       /**< Time in waits for monitors. */
	uint64_t in_state;      /**< Time in a state that the thread has left. */
	uint64_t running;       /**< Part of it in which that was "running". */
	uint64_t open_in_state; /**< The same for a state that has not changed. Computed after pauses_show(),
	                             which sets it to 0. */
	uint64_t open_running;
	uint64_t stopped; /**< Time in which the world was stopped. */
} timeline_slice;

/** The wait of a thread that began last. */
typedef struct timeline_wait {
	uint64_t start;
	uint64_t object; /**< Address, 0 if not known. */
	uint64_t holder; /**< Thread that held the monitor, 0 if not known. */
	uint32_t class_id;
	uint32_t stack;
} timeline_wait;

/** The part of a thread. */
typedef struct timeline_row {
	timeline_slice *slices; /**< NULL while it has none. */
	uint64_t width;         /**< Length of its slices: at most timeline::width. */
	uint64_t first;         /**< First and last counter of its events and samples. */
	uint64_t last;
	int has_time;
	timeline_wait wait;
} timeline_row;

typedef struct ended_wait {
	timeline_wait wait;
	uint64_t end;
	uint64_t thread;
	int is_unfinished; /**< The thread did not wait any more, but how the wait ended is not in the log. */
} ended_wait;

typedef struct timeline {
	uint32_t limit; /**< Maximum number of slices; 0: there is no timeline. */
	int has_origin;
	int has_end; /**< The slices end with the window. */
	uint64_t log_start;
	uint64_t origin;   /**< Start of the first slice. */
	uint64_t width;    /**< Length of a slice. */
	uint64_t left_out; /**< Parts of the timeline that there was no memory for. */
	ended_wait *waits; /**< In the order of their ends. */
	size_t wait_count;
	size_t wait_capacity;
	mprof_allocator allocator;
	const profile_window *window;
} timeline;

/** \p window must outlive the timeline. */
void timeline_init(timeline *all, const mprof_allocator *allocator, const profile_window *window, uint32_t limit);
void timeline_destroy(timeline *all);
void timeline_release_row(timeline_row *row, const timeline *all);

/**
 * Sets the start of a log that begins at \p counter; further calls do nothing. Unless the bounds of the window are
 * final, slices become longer as the log grows, as if the window had no end.
 */
void timeline_begin(timeline *all, uint64_t counter, int is_window_final);

/** Notes that a thread has an event or a sample at a time. */
void timeline_note(timeline_row *row, uint64_t counter);

/**
 * The first counter after the slice that contains \p counter; UINT64_MAX for the last slice of a window with an end.
 */
uint64_t timeline_slice_end(const timeline *all, uint64_t counter);

/** Fields of a slice that times are added to. */
typedef enum timeline_field {
	TIMELINE_METHODS,
	TIMELINE_OPEN,
	TIMELINE_EXISTING,
	TIMELINE_WAITING,
	TIMELINE_STOPPED,
	TIMELINE_IN_STATE,
	TIMELINE_RUNNING,
	TIMELINE_OPEN_IN_STATE,
	TIMELINE_OPEN_RUNNING
} timeline_field;

/** Adds the time from \p start to \p end, as far as it is inside the window. Returns 0 if there is no memory. */
int timeline_add(timeline *all, timeline_row *row, timeline_field field, uint64_t start, uint64_t end);

/**
 * Distributes processor time evenly from \p start to \p end; the part before the window is left out. Returns 0 if there
 * is no memory.
 */
int timeline_add_cpu(timeline *all, timeline_row *row, uint64_t start, uint64_t end, uint64_t nanoseconds);

/** Adds samples. Returns 0 if there is no memory. */
int timeline_add_samples(timeline *all, timeline_row *row, uint64_t counter, uint64_t samples, int is_waiting);

/** Multiplies all numbers of samples of a thread. */
void timeline_scale_samples(const timeline *all, timeline_row *row, uint64_t factor);

/** Keeps the wait of a thread, which ended. Returns it, for ended_wait::is_unfinished; NULL if there is no memory. */
ended_wait *timeline_end_wait(timeline *all, const timeline_row *row, uint64_t thread, uint64_t end);

/** Gives the slices of a row the current length, and sets the fields that pauses_show() computes to 0. */
void timeline_prepare_shown(const timeline *all, timeline_row *row);

/** Number of slices of a log whose latest counter is \p latest. */
size_t timeline_count(timeline *all, uint64_t latest);

#endif
