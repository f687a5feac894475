/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/block_fill.h
 * \brief Begins, extends and encodes a block in columns. These functions only read the tables of the drain, so several
 * threads may call them at once, each for a block and a recording thread of its own.
 */
#ifndef RECORDER_BLOCK_FILL_H
#define RECORDER_BLOCK_FILL_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

/** Begins a block of a thread with a slot. */
void block_begin(const recorder_drain *drain, open_block *block, mprof_thread *thread, const event_slot *slots);

/** Whether the next \p count slots of a thread, in another buffer, are added to a block. */
int block_may_extend(const recorder_drain *drain, const open_block *block, const mprof_thread *thread, uint32_t count);

/** Notes that all of a full buffer is in a block, and gives it back unless recovery needs it until the commit. */
void block_take_buffer(const recorder_drain *drain, open_block *block, event_buffer *buffer);

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

#endif
