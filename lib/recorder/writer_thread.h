/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/writer_thread.h
 * \brief The thread that drains buffers and writes the log.
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

/** Makes it write everything and END, and waits until it has ended. */
void writer_thread_finish(recorder_shared *shared, pthread_t thread);

#endif
