/* SPDX-License-Identifier: MIT */
/**
 * \file collector.h
 * \brief Records collections and sizes of the heap.
 */
#ifndef COLLECTOR_H
#define COLLECTOR_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void collector_install(MonoProfiler *profiler);

#endif
