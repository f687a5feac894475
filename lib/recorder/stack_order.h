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

#include "recorder/buffer_pool.h"

#include <mprof/recorder.h>

/** A place in a thread's chain of buffers. */
typedef struct slot_position {
	uint32_t sequence; /**< Of the buffer. */
	uint32_t slots;    /**< How many of its slots are before. */
} slot_position;

/** What a thread has to be drained in a round. */
typedef struct thread_round {
	event_buffer *full_first; /**< Full buffers that were taken and are not drained, linked by next_full. */
	event_buffer *full_last;
	event_buffer *current;   /**< The buffer after them; NULL if the thread has moved on from it. */
	slot_position known;     /**< Up to here all was published before the round began. */
	slot_position available; /**< Up to here slots can be read. */
	slot_position limit;     /**< Up to here the round drains. */
	uint32_t number;         /**< Of the round that the positions are of. */
	int is_needed;           /**< Something drained later depends on what the thread did before. */
} thread_round;

/** Whether threads have to be drained in this order: two of them or more have switched between stacks. */
int stack_order_is_needed(const mprof_recorder *recorder);

/** Takes over full buffers that were taken from the pool, linked by next_full. */
void stack_order_take(event_buffer *first);

/** Drains all that was published before the call, and what that depends on. */
void stack_order_drain(mprof_recorder *recorder);

/** Frees what rounds have used. */
void stack_order_destroy(mprof_recorder *recorder);

#endif
