/* SPDX-License-Identifier: MIT */
/**
 * \file monitors.h
 * \brief Records contention of monitors.
 */
#ifndef MONITORS_H
#define MONITORS_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void monitors_install(MonoProfiler *profiler);

#endif
