/* SPDX-License-Identifier: MIT */
/**
 * \file live/live_profile.h
 * \brief The profile of a growing log, with a window of the last seconds.
 */
#ifndef LIVE_LIVE_PROFILE_H
#define LIVE_LIVE_PROFILE_H

#include "live/growing_log.h"

#include <mprof/profile.h>

/** How the writing of the log stands. */
typedef enum live_state {
	LIVE_RECORDING, /**< More may come. */
	LIVE_ENDED,     /**< The log has an END block. */
	LIVE_STOPPED    /**< The log has no END block, but no more will come: the program was killed. */
} live_state;

typedef struct live_profile {
	growing_log log;
	mprof_profile *profile;
	mprof_live_window *window;
	uint64_t window_ns;   /**< Its length. */
	uint64_t final_ns;    /**< Time of the log up to which it had been written when it was opened; 0 if unknown. */
	uint64_t covered_ns;  /**< The part of it that is inside the window. */
	uint64_t started_ns;  /**< When all of that had been read, by growing_log_clock(); 0: not yet. */
	uint64_t updated_ns;  /**< Time of the latest update of the window, which starts at 0. */
	uint64_t end_counter; /**< Counter of the latest block. */
	uint64_t end_time_us; /**< Its wall-clock time. */
	uint64_t complete_ns; /**< Everything recorded until this time of growing_log_clock() has been read; 0 if
	                           unknown. */
	int is_final;         /**< All of a log that has ended was read: the view does not change any more. */
	int is_behind;        /**< Bytes that have arrived are unread. */
	int is_failed;        /**< Out of memory. */
	mprof_profile_totals totals;
	mprof_live_totals recent;
} live_profile;

/**
 * Opens a log, which may still be written, and begins with the last \p window_ns of it. Reads what there is, but does
 * not wait for more. \p name, which is borrowed, is what messages call it. Returns #STATUS_OK, or #STATUS_NOTHING after
 * a message. Call live_profile_close() in both cases.
 */
int live_profile_open(live_profile *live, const char *path, const char *name, uint64_t window_ns);

/** Asks the program to write what it has recorded, and waits a short time until it has. */
void live_profile_flush(live_profile *live);

/** Reads what has arrived, at most for a time, and updates the window. */
void live_profile_update(live_profile *live, unsigned milliseconds);

/** Empties the window. */
void live_profile_restart(live_profile *live);

live_state live_profile_state(const live_profile *live);

/**
 * The age of the latest information in milliseconds: what the program did later is not shown. 0 if the log has ended.
 */
uint64_t live_profile_lag_ms(const live_profile *live);

/** The time of the latest block in nanoseconds from the start of the session. */
int64_t live_profile_end_ns(const live_profile *live);

void live_profile_close(live_profile *live);

#endif
