/* SPDX-License-Identifier: MIT */
/**
 * \file elements.h
 * \brief Records the loading and unloading of code units.
 */
#ifndef MONO_ELEMENTS_H
#define MONO_ELEMENTS_H

#include <mono/metadata/image.h>

#include "profiler.h"

/** Installs the callbacks that the options need. */
void elements_install(MonoProfiler *profiler);

/** Records the loaded domains that are not recorded yet because they have no name. Call it before the log is closed. */
void elements_end(MonoProfiler *profiler);

#endif
