/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/salvage_commit.h
 * \brief The points at which what was written counts as in the log. Writer thread.
 */
#ifndef RECORDER_SALVAGE_COMMIT_H
#define RECORDER_SALVAGE_COMMIT_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

/** All that was taken before is in the log. Does nothing without an area, as the next ones. */
void salvage_commit(recorder_drain *drain);

/** The same; the last of it was a buffer, as far as it is drained, up to a counter. */
void salvage_commit_buffer(recorder_drain *drain, event_buffer *buffer, uint64_t last_counter);

/** The same; the last of it were the losses of a thread that has a salvage_thread. */
void salvage_commit_losses(recorder_drain *drain, mprof_thread *thread);

#endif
