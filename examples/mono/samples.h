/* SPDX-License-Identifier: MIT */
/**
 * \file samples.h
 * \brief Samples the call stacks of threads.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "module.h"

/** Installs the callbacks that the options need. */
void samples_install(MonoProfiler *profiler);

/** Ensures that a new thread is sampled. Called on that thread. */
void samples_thread_started(void);

/** Ensures that a thread that unloads a domain is not sampled any more. Called on that thread. */
void samples_unloader_named(void);

#endif
