/* SPDX-License-Identifier: MIT */
/**
 * \file runtime_controls.h
 * \brief Control by the program itself: the calls that class Mono.Profiler.RuntimeControls declares.
 */
#ifndef RUNTIME_CONTROLS_H
#define RUNTIME_CONTROLS_H

#include "module.h"

/** Defines them, once the runtime can take them. */
void runtime_controls_define(MonoProfiler *profiler);

#endif
