/* SPDX-License-Identifier: MIT */
/**
 * \file monitors.h
 * \brief Records contention of monitors.
 */
#ifndef MONO_MONITORS_H
#define MONO_MONITORS_H

#include "profiler.h"

/** Shows waits for monitors in samples, which may begin later than the program. */
void monitors_show(MonoProfiler *profiler);

/** Installs the callbacks that the options need. */
void monitors_install(MonoProfiler *profiler);

/** To be called once, on the main thread, when the runtime can run code. */
void monitors_runtime_is_ready(MonoProfiler *profiler);

#endif
