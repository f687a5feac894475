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

#include "shared/sample_source.h"

#include <stdint.h>

/** Sets a property to a number. */
void sample_properties_set_number(mprof_recorder *recorder, const char *key, uint64_t number);

/** States the requested rate. \p tick_hz is the frequency of the system's tick, 0 if unknown. */
void sample_properties_set_request(mprof_recorder *recorder, uint64_t hz, int is_real_time, uint32_t tick_hz);

/**
 * States the time that each following sample stands for, and what the source leaves out. Call it after all samples of
 * another period were drained, and before there are new ones: readers apply it from there on.
 */
void sample_properties_set_period(mprof_recorder *recorder, int is_real_time);

/** States what interrupts the threads, and the totals so far. */
void sample_properties_set_totals(mprof_recorder *recorder);

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
