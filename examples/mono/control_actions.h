/* SPDX-License-Identifier: MIT */
/**
 * \file control_actions.h
 * \brief The actions on a recording while the program runs, for sockets, signals and runtime calls alike.
 *
 * Each returns NULL on success, otherwise a line with the reason of the failure. All may be called at any time until
 * the process ends, on any thread except the collector's.
 */
#ifndef CONTROL_ACTIONS_H
#define CONTROL_ACTIONS_H

#include "profiler.h"

/** Starts to record events. */
const char *control_enable(MonoProfiler *profiler);

/** Stops recording events. When it returns, all events recorded before are in the log. */
const char *control_disable(MonoProfiler *profiler);

/** Disables recording if it is enabled, otherwise enables it. */
const char *control_toggle(MonoProfiler *profiler);

/** Writes all events recorded so far, also those in a ring buffer. When it returns, they are in the log. */
const char *control_flush(MonoProfiler *profiler);

/** Runs a full collection with a heap snapshot. When it returns, the snapshot is in the log. */
const char *control_heapshot(MonoProfiler *profiler);

/** Requests heap snapshots for the next \p count full collections; for all if it is -1. */
const char *control_set_heap_shots(MonoProfiler *profiler, int64_t count);

/** Writes a marker to the log. */
const char *control_mark(MonoProfiler *profiler, const char *text);

#endif
