/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain_buffer.h
 * \brief Converts the slots of buffers to EVENTS blocks. Writer thread.
 */
#ifndef RECORDER_DRAIN_BUFFER_H
#define RECORDER_DRAIN_BUFFER_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

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
