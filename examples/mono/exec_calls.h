/* SPDX-License-Identifier: MIT */
/**
 * \file mono/exec_calls.h
 * \brief Stops the samples of a thread while it executes another program.
 *
 * exec() resets the handlers of signals and keeps what is pending. The signal of a sample that becomes pending
 * meanwhile would end the new program.
 */
#ifndef MONO_EXEC_CALLS_H
#define MONO_EXEC_CALLS_H

#include "profiler.h"

/** Installs the callback that finds the functions of the exec() family that managed code calls. */
void exec_calls_install(MonoProfiler *profiler);

#endif
