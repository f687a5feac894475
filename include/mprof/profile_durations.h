/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_durations.h
 * \brief Results of a profile: how long single calls took, with percentiles and the slowest calls. Included by
 * mprof/profile.h.
 *
 * Durations are measured if mprof_profile_options::with_durations is set. The duration of a call is the time that
 * passes on its call stack from its start to its end: with the methods that it calls, with waits, and without the time
 * in which the thread is on the stack of another coroutine. Every call counts, also one inside another call of the same
 * method; the sum of the durations of a recursive method therefore exceeds its inclusive time.
 *
 * Only calls whose end is known count. That excludes calls that are open at the end of the log, when their thread ends,
 * or when recording stops, and calls deeper than mprof_profile_options::max_stack_depth. A call whose leave event is
 * missing ends with the call that it was made from. Where events were lost (mprof_profile_totals::lost_events), starts
 * and ends of different calls may have been paired.
 */
#ifndef MPROF_PROFILE_DURATIONS_H
#define MPROF_PROFILE_DURATIONS_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief The durations of the calls of a method that have ended. The shortest, the longest and the average duration are
 * exact; percentiles differ from the exact ones by at most 1.6 percent.
 * \since 0.1
 */
typedef struct mprof_call_durations {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t method;     /**< Method ID. */
	uint32_t slow_calls; /**< Number of slowest calls kept: see mprof_profile_get_slow_call(). */
	uint64_t calls;    /**< Calls that have ended. If all of them were left out it is 0, as are the fields below. */
	uint64_t left_out; /**< Calls that ended and that are missing, in the counts or among the slowest calls, because
	                          mprof_profile_options::max_memory was reached. */
	uint64_t min_ns;   /**< The shortest call. */
	uint64_t average_ns; /**< The sum of the durations, divided by calls. */
	uint64_t max_ns;     /**< The longest call. */
	uint64_t sum_ns;     /**< The sum of the durations, at most UINT64_MAX. */
	uint64_t p50_ns;     /**< Half of the calls took no longer: the median. */
	uint64_t p90_ns;     /**< 90 percent of the calls took no longer. */
	uint64_t p99_ns;     /**< 99 percent of the calls took no longer. */
} mprof_call_durations;

/**
 * \brief Gets any percentile of the durations of the calls of a method.
 *
 * Thread-safe while no thread adds to the profile or finishes it. Not async-signal-safe.
 * \param profile The profile.
 * \param method Method ID.
 * \param percent The part of the calls, 0 to 100: 0 is the shortest call, 50 the median, 100 the longest call.
 * \param duration_ns Receives the duration that this part of the calls does not exceed, within 1.6 percent.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p percent is out of range or no number, or no call of the method has
 *   ended.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_percentile(const mprof_profile *profile, uint32_t method, double percent,
						    uint64_t *duration_ns);

/**
 * \brief One of the slowest calls of a method.
 * \since 0.1
 */
typedef struct mprof_slow_call {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t method;      /**< Method ID. */
	uint32_t call;        /**< Node of the call tree: with its parents it is the call stack. #MPROF_CALL_ROOT if
	                           max_memory was reached or the profile has no call tree. */
	uint64_t thread;      /**< ID of the thread on which the call ended. */
	uint64_t duration_ns; /**< Its duration. */
	int64_t start_ns;     /**< When it began, in nanoseconds since the start of the session. */
} mprof_slow_call;

/**
 * \brief Gets one of the slowest calls of a method. Of calls inside another call of the same method none is kept.
 *
 * Thread-safe while no thread adds to the profile or finishes it. Not async-signal-safe.
 * \param profile The profile.
 * \param method Method ID.
 * \param index 0 to mprof_call_durations::slow_calls - 1; 0 is the longest call. Of calls with the same duration, the
 * one that ended first in the log has the smallest index.
 * \param call Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_slow_call(const mprof_profile *profile, uint32_t method, size_t index,
						   mprof_slow_call *call);

MPROF_END_DECLS

#endif
