/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain_buffer.h
 * \brief Converts the slots of buffers to EVENTS blocks. Writer thread.
 */
#ifndef RECORDER_DRAIN_BUFFER_H
#define RECORDER_DRAIN_BUFFER_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

/** Begins a block of a thread with a slot. */
void block_begin(const recorder_drain *drain, open_block *block, mprof_thread *thread, const event_slot *slots);

/** Encodes the events, once. The result is open_block::status. */
void block_encode(open_block *block);

/** Why block_fill() ended. */
typedef enum fill_end {
	FILL_BLOCK, /**< The block must end, or the thread has no other full buffer. It is encoded. */
	FILL_SLOW   /**< The next slot is for the writer thread. */
} fill_end;

/**
 * Adds the full buffers of a thread, thread_round::full_first, as far as their events are frequent ones whose keys
 * have IDs. \p slots receives the number of slots added.
 */
fill_end block_fill(const recorder_drain *drain, open_block *block, mprof_thread *thread, uint32_t *slots);

/** Writes the slots of a buffer that were published and not drained yet, up to \p published. */
void drain_buffer(recorder_drain *drain, mprof_thread *thread, event_buffer *buffer, uint32_t published);

/**
 * Drains the first full buffer of its thread, thread_round::full_first, and gives it back to the pool. In columns, its
 * events may stay in \p block, and the buffer may be given back later: by another buffer, or by drain_end_block().
 */
void drain_full_buffer(recorder_drain *drain, open_block *block, event_buffer *buffer);

/** Writes the events of a block, if there are any, and gives back the buffers that it holds. */
void drain_end_block(recorder_drain *drain, open_block *block);

#endif
