/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/thread_buffers.h
 * \brief The current buffer of a thread. Only the thread itself calls these functions.
 */
#ifndef RECORDER_THREAD_BUFFERS_H
#define RECORDER_THREAD_BUFFERS_H

#include "recorder/thread.h"

/** The current buffer of a thread that has none: always full, never written. */
extern event_buffer thread_no_buffer;

/** Makes a buffer the thread's current one. Tickets of consecutive buffers are consecutive. */
void thread_adopt_buffer(mprof_thread *thread, event_buffer *buffer, uint64_t start_counter);

/** Hands over the current buffer, which is then full or the thread's last. */
void thread_hand_over(mprof_thread *thread, event_buffer *buffer);

#endif
