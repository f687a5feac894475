/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/drain_buffer.h
 * \brief Converts the slots of buffers to EVENTS blocks. Writer thread.
 */
#ifndef RECORDER_DRAIN_DRAIN_BUFFER_H
#define RECORDER_DRAIN_DRAIN_BUFFER_H

#include "recorder/drain/drain_state.h"
#include "recorder/threads/thread.h"

/** Begins a block of a thread with a slot. */
void block_begin(const recorder_drain *drain, open_block *block, mprof_thread *thread, const event_slot *slots);

/** Encodes the events, once. The result is open_block::status. */
void block_encode(open_block *block);

/** Writes the slots of a buffer that were published and not drained yet, up to \p published. */
void drain_buffer(recorder_drain *drain, mprof_thread *thread, event_buffer *buffer, uint32_t published);

/**
 * Drains the first full buffer of its thread, thread_round::full_first, and gives it back to the pool. In columns, its
 * events may stay in \p block, and the buffer may be given back later: by another buffer, or by drain_end_block().
 */
void drain_full_buffer(recorder_drain *drain, open_block *block, event_buffer *buffer);

/** Writes the events of a block, if there are any, and gives back the buffers that it holds. */
void drain_end_block(recorder_drain *drain, open_block *block);

/**
 * Starts drain_threads::wanted threads, which inherit the signal mask of the caller; fewer if the system refuses.
 * Called before the writer thread starts.
 */
void drain_threads_start(drain_threads *threads, const recorder_drain *drain, const pthread_attr_t *attributes);

/** Ends the threads. After the writer thread has ended. */
void drain_threads_finish(drain_threads *threads);

/** Frees memory. After drain_threads_finish(), or in a child made by fork(), which has none of the threads. */
void drain_threads_destroy(drain_threads *threads, const mprof_allocator *allocator);

/** Whether there are enough full buffers of different threads to convert them at the same time. Writer thread. */
int drain_threads_help(const drain_threads *threads, const mprof_thread *first);

/** Drains the full buffers of threads, which are linked by thread_round::next_full. Writer thread. */
void drain_threads_run(recorder_drain *drain, mprof_thread *first);

#endif
