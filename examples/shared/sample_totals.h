/* SPDX-License-Identifier: MIT */
/**
 * \file shared/sample_totals.h
 * \brief States the totals of samples in the log: at the end, and before that after 1, 2, 4, 8, ... seconds.
 *
 * So the log of a program that was killed has those of at least half of the run, which suffice for the rate and for the
 * time that a sample represents.
 */
#ifndef SHARED_SAMPLE_TOTALS_H
#define SHARED_SAMPLE_TOTALS_H

#include <mprof/recorder.h>

/**
 * Starts the thread that states the totals. Without it, they are stated at the end only.
 * \param recorder Stays open until sample_totals_end() returns.
 * \param begin_thread Called first on the thread; NULL for none.
 */
void sample_totals_start(mprof_recorder *recorder, void (*begin_thread)(void));

/** Ends the thread, which does not use the recorder any more when this returns. It may be started again. */
void sample_totals_end(void);

/** Called in a child of fork(), which does not have the thread. */
void sample_totals_forget(void);

#endif
