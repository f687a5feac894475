/* SPDX-License-Identifier: MIT */
/**
 * \file finalizers.h
 * \brief Records finalizers.
 */
#ifndef FINALIZERS_H
#define FINALIZERS_H

#include "module.h"

/** Installs the callbacks that the options need. */
void finalizers_install(MonoProfiler *profiler);

#endif
