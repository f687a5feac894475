/* SPDX-License-Identifier: MIT */
/**
 * \file helper.h
 * \brief The module's helper thread, which calls a function periodically.
 *
 * It is attached to the runtime as a tool thread: it may read counters, is not stopped with the world, and does not
 * delay the end of the program. It blocks all signals.
 */
#ifndef HELPER_H
#define HELPER_H

#include "profiler.h"

/** The function that the thread calls. */
typedef void (*helper_function)(MonoProfiler *profiler);

/** Starts the thread once the runtime is ready for it. Returns 0 if no thread could be created. */
int helper_start(MonoProfiler *profiler, helper_function function, uint32_t interval_ms);

/** Stops the thread: it does nothing any more when this returns. Call it before the runtime ends. */
void helper_stop(void);

#endif
