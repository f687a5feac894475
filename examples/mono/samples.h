/* SPDX-License-Identifier: MIT */
/**
 * \file samples.h
 * \brief Samples the call stacks of threads.
 */
#ifndef MONO_SAMPLES_H
#define MONO_SAMPLES_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void samples_install(MonoProfiler *profiler);

/** Adds the totals of sampling to the session metadata. The log must still be open. */
void samples_end(MonoProfiler *profiler);

/** Changes the rate while the program runs; 0 stops sampling. Returns NULL, or the reason why it cannot be changed. */
const char *samples_set_rate(MonoProfiler *profiler, uint32_t hz);

/** Called after the recorder was enabled, or disabled. */
void samples_enable(MonoProfiler *profiler, int is_enabled);

/** Stops the source of samples: the runtime shuts down. */
void samples_shut_down(void);

/** The present rate in samples of a thread per second; 0 if none. */
uint32_t samples_rate(const MonoProfiler *profiler);

#endif
