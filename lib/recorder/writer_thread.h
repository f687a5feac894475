/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/writer_thread.h
 * \brief The thread that drains and writes.
 */
#ifndef RECORDER_WRITER_THREAD_H
#define RECORDER_WRITER_THREAD_H

#include "recorder/drain_state.h"

#include <pthread.h>

/**
 * Starts it, with all signals blocked. From then on \p drain and its output are the thread's. Returns 0 if the system
 * refuses.
 */
int writer_thread_start(recorder_drain *drain, pthread_t *thread);

/** Has it write everything and END, and waits for its end. */
void writer_thread_finish(recorder_shared *shared, pthread_t thread);

#endif
