/* SPDX-License-Identifier: MIT */
/**
 * \file metrics.h
 * \brief Records the runtime's counters, periodically and at the end.
 */
#ifndef MONO_METRICS_H
#define MONO_METRICS_H

#include "profiler.h"

/** Starts to record counters. Call it when the runtime is ready. */
void metrics_start(MonoProfiler *profiler);

/** Records the counters a last time. Call it before the runtime shuts down. */
void metrics_end(MonoProfiler *profiler);

#endif
