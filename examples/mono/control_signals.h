/* SPDX-License-Identifier: MIT */
/**
 * \file control_signals.h
 * \brief The option signal=SIG:ACTION. The handler only sets a bit and wakes the control thread, which runs the action.
 */
#ifndef CONTROL_SIGNALS_H
#define CONTROL_SIGNALS_H

#include "profiler.h"

#include "shared/control_wake.h"

/**
 * Installs a handler for each signal that has none yet, and prints on stderr which signals cannot be used. The handler
 * sends to \p wake, which must stay valid. Returns the number of signals that have an action.
 */
int control_signals_install(const module_options *options, const control_wake *wake);

/** Runs the actions of the signals received since the last call. */
void control_signals_act(MonoProfiler *profiler);

#endif
