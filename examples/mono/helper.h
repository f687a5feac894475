/* SPDX-License-Identifier: MIT */
/**
 * \file helper.h
 * \brief The module's own thread, which does something from time to time.
 *
 * It is known to the runtime as a tool's: it may ask for figures, is not stopped with the world, and the program's end
 * does not wait for it. It blocks all signals.
 */
#ifndef HELPER_H
#define HELPER_H

#include "module.h"

/** What it does. */
typedef void (*helper_function)(MonoProfiler *profiler);

/** Starts the thread, when the runtime is ready for it. Returns 0 if there is none. */
int helper_start(MonoProfiler *profiler, helper_function function, uint32_t interval_ms);

/** From its return on the thread does nothing any more. Before the runtime ends. */
void helper_stop(void);

#endif
