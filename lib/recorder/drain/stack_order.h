/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/stack_order.h
 * \brief Drains threads so that the events of each call stack are in the log in order of time, even if the stack moves
 * from thread to thread. Writer thread.
 *
 * Readers rely on it: they have one list of frames for each stack. Threads are drained one after the other, so
 * otherwise the events of one thread on a stack could be written before earlier events of another thread on it.
 */
#ifndef RECORDER_DRAIN_STACK_ORDER_H
#define RECORDER_DRAIN_STACK_ORDER_H

#include "recorder/drain/drain_state.h"

/** Whether threads must be drained in this order, because two or more have switched between stacks. */
int stack_order_is_needed(const recorder_shared *shared);

/**
 * Adds full buffers that were taken from the pool, linked by next_full, to thread_round::full_first of their threads.
 * Returns the threads that had none before, linked by thread_round::next_full, in the order of their first buffers.
 */
mprof_thread *stack_order_add(event_buffer *first);

/** Drains everything that was published before the call, and what it depends on. */
void stack_order_drain(recorder_drain *drain);

/** Frees the memory that rounds have used. */
void stack_order_destroy(recorder_drain *drain);

#endif
