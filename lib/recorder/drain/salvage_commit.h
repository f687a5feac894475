/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/salvage_commit.h
 * \brief Commits: makes a progress record valid, so that recovery does not write again what is in the log. Writer
 * thread.
 */
#ifndef RECORDER_DRAIN_SALVAGE_COMMIT_H
#define RECORDER_DRAIN_SALVAGE_COMMIT_H

#include "recorder/drain/drain_state.h"
#include "recorder/threads/thread.h"

/** Commits everything taken so far. Without a salvage file, this and the other functions do nothing. */
void salvage_commit(recorder_drain *drain);

/** Commits after draining a buffer. \p last_counter is the counter of the last event drained from it. */
void salvage_commit_buffer(recorder_drain *drain, event_buffer *buffer, uint64_t last_counter);

/** Commits after reporting the losses of a thread that has a salvage_thread. */
void salvage_commit_losses(recorder_drain *drain, mprof_thread *thread);

#endif
