/* SPDX-License-Identifier: MIT */
/**
 * \file methods.h
 * \brief Records methods that are compiled, entered, left and freed.
 */
#ifndef MONO_METHODS_H
#define MONO_METHODS_H

#include "profiler.h"

/** Installs the callbacks that the options need. */
void methods_install(MonoProfiler *profiler);

/**
 * Makes all calls from now on check call_gate_admits(). If the program was started without calls, those of methods that
 * are compiled from now on are recorded, if call_gate_selects() admits them then. Any thread may call this while the
 * program runs.
 */
void methods_use_gate(MonoProfiler *profiler);

#endif
