/* SPDX-License-Identifier: MIT */
/**
 * \file sample_statement.h
 * \brief States in the log how samples were requested and taken.
 *
 * The totals are stated at the end, and before that after 1, 2, 4, 8, ... seconds. So the log of a program that was
 * killed has those of at least half of the run, which suffice for the rate and for the time that a sample represents.
 */
#ifndef SAMPLE_STATEMENT_H
#define SAMPLE_STATEMENT_H

#include "profiler.h"

/** States the requested rate, also when it changes. \p tick_hz is the frequency of the system's tick, 0 if unknown. */
void sample_statement_request(MonoProfiler *profiler, uint32_t hz, uint32_t tick_hz);

/** States the time that each sample stands for from now on; see sample_properties_set_period(). */
void sample_statement_period(MonoProfiler *profiler);

/** Starts the thread that states the totals. Without it, they are stated at the end only. */
void sample_statement_start(MonoProfiler *profiler);

/** States the totals for the last time. The thread does not use the profiler any more when this returns. */
void sample_statement_end(MonoProfiler *profiler);

#endif
