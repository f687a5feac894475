/* SPDX-License-Identifier: MIT */
/**
 * \file roots.h
 * \brief Records the roots of the collector.
 */
#ifndef MONO_ROOTS_H
#define MONO_ROOTS_H

#include <mono/metadata/class.h>

#include "profiler.h"

/** Installs the callbacks that the options need. */
void roots_install(MonoProfiler *profiler);

#endif
