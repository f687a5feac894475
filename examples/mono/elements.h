/* SPDX-License-Identifier: MIT */
/**
 * \file elements.h
 * \brief Records the loading and unloading of code units.
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void elements_install(MonoProfiler *profiler);

/** Records what is loaded and was not recorded yet, when the log ends. */
void elements_end(MonoProfiler *profiler);

#endif
