/* SPDX-License-Identifier: MIT */
/**
 * \file base/progress.h
 * \brief Reports how far a computation is, and stops it when the caller wants that: see mprof_progress_function.
 *
 * A computation consists of phases, each with a number of steps that is known before. Loops count their steps; the
 * function is called once for #PROGRESS_SPAN of them, so a step costs one decrement.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <mprof/base.h>

/** Steps between two calls of the function. */
#define PROGRESS_SPAN 16384

typedef struct progress {
	mprof_progress_function function; /**< NULL: nothing is reported, and nothing stops. */
	void *user;
	uint64_t total;     /**< Steps of all phases. */
	uint64_t done;      /**< As of the latest report. */
	uint64_t end;       /**< Of the current phase. */
	uint64_t remaining; /**< Steps until the next report. */
	int is_stopped;     /**< The function returned another value than 0: all that follows returns 0, too. */
} progress;

/** Prepares a computation of \p total steps. */
void progress_init(progress *created, mprof_progress_function function, void *user, uint64_t total);

/** Reports that the phase before is complete, and begins one of \p steps. Returns 0 if the computation has to stop. */
int progress_begin(progress *going, uint64_t steps);

/** Reports that everything is complete. Returns 0 if the computation has to stop nevertheless. */
int progress_end(progress *going);

/** The slow path of progress_step(); also for a loop that has done #PROGRESS_SPAN steps without counting them. */
int progress_report(progress *going);

/** Counts a step. More steps than were declared count as those. Returns 0 if the computation has to stop. */
static inline int progress_step(progress *going)
{
	return __builtin_expect(--going->remaining != 0, 1) || progress_report(going);
}

/** The status of a computation that failed: \p other unless it was stopped. */
static inline mprof_status progress_status(const progress *going, mprof_status other)
{
	return going->is_stopped ? MPROF_ERR_INTERRUPTED : other;
}

#endif
