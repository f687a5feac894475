/* SPDX-License-Identifier: MIT */
/**
 * \file methods.h
 * \brief Records methods that are compiled, entered, left and freed.
 */
#ifndef METHODS_H
#define METHODS_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void methods_install(MonoProfiler *profiler);

/** Makes all calls from now on check call_gate_admits(). Any thread may call this while the program runs. */
void methods_use_gate(MonoProfiler *profiler);

#endif
