/* SPDX-License-Identifier: MIT */
/**
 * \file runtime_controls.h
 * \brief Control by the program itself: the internal calls that class Mono.Profiler.RuntimeControls declares.
 */
#ifndef RUNTIME_CONTROLS_H
#define RUNTIME_CONTROLS_H

#include "profiler.h"

/** Registers the internal calls. Call it once the runtime accepts them. */
void runtime_controls_define(MonoProfiler *profiler);

#endif
