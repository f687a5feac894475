/* SPDX-License-Identifier: MIT */
/**
 * \file handles.h
 * \brief Records GC handles.
 */
#ifndef MONO_HANDLES_H
#define MONO_HANDLES_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void handles_install(MonoProfiler *profiler);

/** Installs the callbacks that the options need. */
void finalizers_install(MonoProfiler *profiler);

#endif
