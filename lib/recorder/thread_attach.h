/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/thread_attach.h
 * \brief Handles of recording threads: where they are created, listed and freed.
 */
#ifndef RECORDER_THREAD_ATTACH_H
#define RECORDER_THREAD_ATTACH_H

#include "recorder/thread.h"

/**
 * For recovery: creates the detached handle of a thread of a process that has ended. Its buffers, from a sequence
 * number on, are passed to buffer_pool_push_full(). Returns NULL if there is no memory.
 */
mprof_thread *thread_recover(recorder_shared *shared, uint64_t id, uint32_t serial, uint32_t first_sequence,
			     uint32_t end_sequence);

/** Removes a handle from the lists by ID. The caller holds threads_lock. Writer thread. */
void thread_remove_by_id(mprof_thread *thread);

/** Frees a handle that is on no list. Writer thread, or after its end. */
void thread_release(mprof_thread *thread);

#endif
