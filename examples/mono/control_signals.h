/* SPDX-License-Identifier: MIT */
/**
 * \file control_signals.h
 * \brief The option signal=SIG:ACTION. The handler only leaves a note; the thread of control.c acts.
 */
#ifndef CONTROL_SIGNALS_H
#define CONTROL_SIGNALS_H

#include "module.h"

/**
 * Installs a handler for each signal that nobody else handles; says on stderr which are not to be had. The handler
 * writes to \p event_fd, an eventfd. Returns how many signals have an action.
 */
int control_signals_install(const module_options *options, int event_fd);

/** Does what came since the last time. */
void control_signals_act(MonoProfiler *profiler);

#endif
