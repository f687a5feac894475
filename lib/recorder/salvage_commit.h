/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/salvage_commit.h
 * \brief Commits: what was written counts as in the log from here on. Writer thread.
 */
#ifndef RECORDER_SALVAGE_COMMIT_H
#define RECORDER_SALVAGE_COMMIT_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

/** Commits everything taken so far. Without an area, this and the following functions do nothing. */
void salvage_commit(recorder_drain *drain);

/** The same after draining a buffer, whose last drained event has this counter. */
void salvage_commit_buffer(recorder_drain *drain, event_buffer *buffer, uint64_t last_counter);

/** The same after reporting the losses of a thread that has a salvage_thread. */
void salvage_commit_losses(recorder_drain *drain, mprof_thread *thread);

#endif
