/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/writer_thread.h
 * \brief The thread that drains and writes.
 */
#ifndef RECORDER_WRITER_THREAD_H
#define RECORDER_WRITER_THREAD_H

#include "recorder/recorder_internal.h"

/** Starts it, with all signals blocked. Returns 0 if the system refuses. */
int writer_thread_start(mprof_recorder *recorder);

/** Has it write everything and END, and waits for its end. */
void writer_thread_finish(mprof_recorder *recorder);

#endif
