/* SPDX-License-Identifier: MIT */
/**
 * \file native/thread_names.h
 * \brief The names of threads in the log, as they are when the thread ends.
 *
 * Most threads name themselves after they have started, so the functions that do it are interposed. A name that is set
 * in another way is found when the thread ends.
 */
#ifndef NATIVE_THREAD_NAMES_H
#define NATIVE_THREAD_NAMES_H

#include <mprof/recorder.h>

#include <stdint.h>

/** Records the name of the calling thread, and each change from here on. \p id: its ID in the log. */
void thread_names_begin(mprof_recorder *recorder, uint64_t id);

/** Called by each such thread before its handle is detached. */
void thread_names_end(void);

/** In a child made by fork(), whose only thread calls this. */
void thread_names_forget(void);

#endif
