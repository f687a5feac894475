/* SPDX-License-Identifier: MIT */
/**
 * \file finalizers.h
 * \brief Records finalizers.
 */
#ifndef FINALIZERS_H
#define FINALIZERS_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void finalizers_install(MonoProfiler *profiler);

#endif
