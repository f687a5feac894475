/* SPDX-License-Identifier: MIT */
/**
 * \file call_gate.h
 * \brief Selects, while the program runs, which of the methods that report their calls are recorded.
 */
#ifndef MONO_CALL_GATE_H
#define MONO_CALL_GATE_H

#include "threads.h"

#include <stddef.h>

/** Whether a call of \p method is recorded. Called by the calling thread, which owns \p state. */
int call_gate_admits(MonoProfiler *profiler, thread_state *state, MonoMethod *method);

/** Whether the present setting admits a method. Any thread. */
int call_gate_selects(MonoMethod *method);

/**
 * Opens the gate for all methods, for none ("off"), or for those that match a pattern of filters.h. Returns NULL, or
 * the reason of a failure. Only the control thread may call this.
 */
const char *call_gate_set(MonoProfiler *profiler, const char *selection);

/** The present setting: "on", "off" or a pattern. Valid until the next call_gate_set(). Control thread only. */
const char *call_gate_selection(void);

#endif
