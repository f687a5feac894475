/* SPDX-License-Identifier: MIT */
/**
 * \file control_actions.h
 * \brief What can be done to a recording while the program runs, whoever asks for it.
 *
 * Each returns NULL when it is done, or a line that says why it is not. All may be called on any thread that is not the
 * collector's, at any time until the process ends.
 */
#ifndef CONTROL_ACTIONS_H
#define CONTROL_ACTIONS_H

#include "module.h"

/** Events are recorded from here on. */
const char *control_enable(MonoProfiler *profiler);

/** Events are not recorded from here on; when it returns, all that were are in the log. */
const char *control_disable(MonoProfiler *profiler);

/** The one or the other. */
const char *control_toggle(MonoProfiler *profiler);

/** All that was recorded is in the log when it returns; what is kept in memory is written out. */
const char *control_flush(MonoProfiler *profiler);

/** Runs a full collection with a heap shot, which is in the log when it returns. */
const char *control_heapshot(MonoProfiler *profiler);

/** Lets the next so many full collections have a heap shot; all with -1. */
const char *control_set_heap_shots(MonoProfiler *profiler, int64_t count);

/** Puts a remark into the log. */
const char *control_mark(MonoProfiler *profiler, const char *text);

#endif
