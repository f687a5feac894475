/* SPDX-License-Identifier: MIT */
/**
 * \file monitor_holders.h
 * \brief Finds the thread that holds a monitor.
 */
#ifndef MONO_MONITOR_HOLDERS_H
#define MONO_MONITOR_HOLDERS_H

#include "profiler.h"

#include <mono/metadata/object.h>

/** To be called before the first thread starts, if monitors are recorded. */
void monitor_holders_begin(void);

/**
 * To be called on a thread that is attached to the runtime, once the runtime can run code: checks whether the holders
 * of monitors can be read, and states the result in the log. \p id is the log's ID of the calling thread.
 */
void monitor_holders_check(MonoProfiler *profiler, uint64_t id);

/** To be called on each thread when it starts, with its ID in the log, and when it ends. */
void monitor_holders_add_thread(uint64_t id);
void monitor_holders_remove_thread(void);

/** The log's ID of the thread that holds the monitor of a live object now; 0 if there is none or it is not known. */
uint64_t monitor_holders_find(const MonoObject *object);

#endif
