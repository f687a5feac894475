/* SPDX-License-Identifier: MIT */
/**
 * \file samples.h
 * \brief Samples the call stacks of threads.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void samples_install(MonoProfiler *profiler);

/** Adds what was sampled to the session of the log, which is still open. */
void samples_end(MonoProfiler *profiler);

#endif
