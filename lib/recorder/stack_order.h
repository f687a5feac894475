/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/stack_order.h
 * \brief Drains threads in an order in which what was done on each call stack stands in the log in order of time, also
 * where a stack goes from thread to thread. Writer thread.
 *
 * Readers rely on it: they have one list of frames for each stack. Threads are drained one after the other, so without
 * more what a thread did on a stack could stand before what another one did there earlier.
 */
#ifndef RECORDER_STACK_ORDER_H
#define RECORDER_STACK_ORDER_H

#include "recorder/drain_state.h"

/** Whether threads have to be drained in this order: two of them or more have switched between stacks. */
int stack_order_is_needed(const recorder_shared *shared);

/** Takes over full buffers that were taken from the pool, linked by next_full. */
void stack_order_add(event_buffer *first);

/** Drains all that was published before the call, and what that depends on. */
void stack_order_drain(recorder_drain *drain);

/** Frees what rounds have used. */
void stack_order_destroy(recorder_drain *drain);

#endif
