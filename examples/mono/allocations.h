/* SPDX-License-Identifier: MIT */
/**
 * \file allocations.h
 * \brief Records allocated objects.
 */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void allocations_install(MonoProfiler *profiler);

#endif
