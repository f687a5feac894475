/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/thread_times.h
 * \brief Writes how long each thread existed, ran, and waited for a processor, and how often the system switched
 * from it to another one, as metrics of the thread.
 */
#ifndef RECORDER_THREAD_TIMES_H
#define RECORDER_THREAD_TIMES_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

/**
 * Writes the times of all threads, for detached ones the last time. Writer thread, before handles are freed.
 * \p is_last: no round follows.
 */
void thread_times_write(recorder_drain *drain, int is_last);

/** Whether the handle of a detached thread is still needed for its last times. Writer thread. */
static inline int thread_times_are_due(const mprof_thread *thread)
{
	return thread->times.is_counted && !thread->drain.times_are_final;
}

#endif
