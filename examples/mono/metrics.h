/* SPDX-License-Identifier: MIT */
/**
 * \file metrics.h
 * \brief The runtime's counters, in intervals and at the end.
 */
#ifndef METRICS_H
#define METRICS_H

#include "module.h"

/** Begins to record them, when the runtime is ready. */
void metrics_start(MonoProfiler *profiler);

/** Records them a last time, while the runtime is still there. */
void metrics_end(MonoProfiler *profiler);

#endif
