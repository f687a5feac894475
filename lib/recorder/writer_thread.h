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
 * Starts the writer thread, with all signals blocked. From then on the writer thread owns \p drain and its output.
 * Returns 0 if the system refuses.
 */
int writer_thread_start(recorder_drain *drain, pthread_t *thread);

/** Makes the writer thread write everything and then END, and waits until the thread has ended. */
void writer_thread_finish(recorder_shared *shared, pthread_t thread);

#endif
