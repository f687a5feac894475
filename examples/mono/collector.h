/* SPDX-License-Identifier: MIT */
/**
 * \file collector.h
 * \brief Records collections and sizes of the heap.
 */
#ifndef MONO_COLLECTOR_H
#define MONO_COLLECTOR_H

#include "profiler.h"

/** Shows collections in samples, which may begin later than the program. */
void collector_show(MonoProfiler *profiler);

/** Installs the callbacks that the options need. */
void collector_install(MonoProfiler *profiler);

#endif
