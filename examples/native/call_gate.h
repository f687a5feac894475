/* SPDX-License-Identifier: MIT */
/**
 * \file native/call_gate.h
 * \brief The command "calls": which calls of instrumented functions are recorded from now on.
 */
#ifndef NATIVE_CALL_GATE_H
#define NATIVE_CALL_GATE_H

#include <mprof/recorder.h>

#include <stdatomic.h>
#include <stdint.h>

/**
 * Bit 0 is set if no calls are recorded; the other bits count the changes.
 *
 * Owner: the control thread. It stores with release after the pattern has changed; a thread that calls loads with
 * acquire, so it uses a pattern that is at least as new.
 */
extern _Atomic uint32_t call_gate __attribute__((visibility("hidden")));

#define CALL_GATE_CLOSED UINT32_C(1)

/** Closes the gate of a program that is started without calls. Call it before calls can be recorded. */
void call_gate_begin_closed(void);

/** Selects all calls ("on"), none ("off"), or those that a pattern matches. Returns NULL or the reason of a failure. */
const char *call_gate_set(mprof_recorder *recorder, const char *selection);

/** Counts a change without one, so that each thread looks at the state of the recording again. */
void call_gate_renew(void);

/** The last selection. On the control thread. */
const char *call_gate_selection(void);

#endif
